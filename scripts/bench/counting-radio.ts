import { RadioSound as BuiltSound } from "../../workers/radio/radio-sound.ts";

/** The radio worker as deployed, with a count of what listeners ask of the object of a radio. */

export { default, LiveSound } from "../../workers/radio/index.ts";

export class RadioSound extends BuiltSound {
  #requests = 0;

  override readPlaylist(...given: Parameters<BuiltSound["readPlaylist"]>) {
    this.#requests++;
    return super.readPlaylist(...given);
  }

  override readSegment(...given: Parameters<BuiltSound["readSegment"]>) {
    this.#requests++;
    return super.readSegment(...given);
  }

  override countListeners(...given: Parameters<BuiltSound["countListeners"]>) {
    this.#requests++;
    super.countListeners(...given);
  }

  /** Returns the requests of listeners so far. Streams, of which each is one, are not among them. */
  countRequests(): number {
    return this.#requests;
  }
}
