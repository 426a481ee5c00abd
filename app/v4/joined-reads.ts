import { BATCH_ADDRESS, BATCH_SIZE, batchReads } from "../../workers/contract/edge.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { endOfTurn } from "../../workers/kernel/turn.ts";
import { addressOfCall, type CallInput, callOperation, problemOf, type Transport } from "./call.ts";
import { ResponseError } from "./errors.ts";

interface Read {
  operation: Operation;
  input: CallInput<Operation>;
  /** Whether the page can do without the answer. A batch does not wait for such a read for long. */
  is_optional: boolean;
}

interface Waiting extends Read {
  address: string;
  answered: PromiseWithResolvers<unknown>;
}

/** Makes one call of all reads that begin in the same turn of the event loop, because a call costs more than most reads. */
export class JoinedReads {
  readonly #transport: Transport;
  #waiting: Waiting[] = [];

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the answer. Throws as {@link callOperation} does. */
  async read(read: Read): Promise<unknown> {
    const address = addressOfCall(read.operation, read.input);
    if (!BATCH_ADDRESS.test(address)) return callOperation(this.#transport, read.operation, read.input);
    const answered = Promise.withResolvers<unknown>();
    if (this.#waiting.length === 0) endOfTurn().then(() => this.#send());
    this.#waiting.push({ ...read, address, answered });
    return answered.promise;
  }

  #send(): void {
    const reads = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < reads.length; first += BATCH_SIZE) this.#call(reads.slice(first, first + BATCH_SIZE));
  }

  async #call(reads: readonly Waiting[]): Promise<void> {
    const [only] = reads;
    try {
      if (only && reads.length === 1) {
        only.answered.resolve(await callOperation(this.#transport, only.operation, only.input));
        return;
      }
      const body = { reads: reads.map(({ address, is_optional }) => ({ address, is_optional })) };
      const { answers } = await callOperation(this.#transport, batchReads, { body });
      reads.forEach(({ answered }, index) => {
        const { status, body } = answers[index] ?? { status: 502, body: null };
        if (status < 300) answered.resolve(body);
        else answered.reject(new ResponseError(status, problemOf(body)));
      });
    } catch (error) {
      for (const { answered } of reads) answered.reject(error);
    }
  }
}
