import { PACKET_SAMPLES, SAMPLE_RATE, type TrackName } from "../../contract/sound-chunks.ts";
import { ascii, type Bytes, box, fullBox, int16, int32, join, zeros } from "./box.ts";

/** What the containers must know of a codec. */
export interface Track {
  name: TrackName;
  /** The samples of one packet. */
  packet_samples: number;
  /**
   * The packets of one live segment, the same number in each. Opus has short ones, which our script asks for ahead: they are the
   * delay. A player of AAC asks for a playlist and a segment in turn, and has two seconds for that.
   */
  segment_packets: number;
  /** One packet that decodes to silence. */
  silence: Bytes;
  /** The entry of the sample description box. */
  sample_entry: Bytes;
  /** Boxes of a sample table or a track fragment that make the preparation of the decoder known. */
  rollGroup(packet_count: number): Bytes[];
  rollDescription: Bytes[];
  /** Brands that a file with this codec adds. */
  brands: readonly string[];
  mime_type: string;
}

/** ISO/IEC 14496-12, section 12.2.3: a mono AudioSampleEntry with 16 bits and 48 kHz. */
function audioSampleEntry(type: string, config: Bytes): Bytes {
  const reserved_and_reference = join([zeros(6), int16(1)]);
  const [channels, sample_bits] = [int16(1), int16(16)];
  return box(
    type,
    reserved_and_reference,
    zeros(8),
    channels,
    sample_bits,
    zeros(4),
    int32(SAMPLE_RATE * 65_536),
    config,
  );
}

const descriptor = (tag: number, ...parts: Bytes[]) => {
  const body = join(parts);
  return join([Uint8Array.of(tag, body.length), body]);
};

/** AudioSpecificConfig (ISO/IEC 14496-3, section 1.6): AAC-LC, 48 kHz, one channel. */
const AAC_CONFIG = Uint8Array.of(0x11, 0x88);
const AAC_BITS_PER_SECOND = 64_000;

/** ISO/IEC 14496-1, section 7.2.6: elementary stream, decoder (MPEG-4 audio), its configuration, sync layer. */
const esds = fullBox(
  "esds",
  0,
  0,
  descriptor(
    0x03,
    int16(0),
    Uint8Array.of(0),
    descriptor(
      0x04,
      Uint8Array.of(0x40, 0x15, 0, 0x03, 0x00),
      int32(AAC_BITS_PER_SECOND),
      int32(AAC_BITS_PER_SECOND),
      descriptor(0x05, AAC_CONFIG),
    ),
    descriptor(0x06, Uint8Array.of(0x02)),
  ),
);

/**
 * Encapsulation of Opus in ISOBMFF, section 4.3.2: version, channels, PreSkip (at least 80 ms), input sample rate,
 * gain, mapping family.
 */
const OPUS_PRE_SKIP = 3840;
const dOps = box("dOps", Uint8Array.of(0, 1), int16(OPUS_PRE_SKIP), int32(SAMPLE_RATE), int16(0), Uint8Array.of(0));

/** Section 4.3.6.2: a decoder needs the 80 ms before a packet, which are four packets. */
const OPUS_ROLL_PACKETS = -4;

const noGroup = () => [];

export const tracks: Readonly<Record<TrackName, Track>> = {
  opus: {
    name: "opus",
    packet_samples: PACKET_SAMPLES.opus,
    segment_packets: 50,
    // RFC 6716, section 3.1: configuration 31 (CELT, fullband, 20 ms), mono, one frame; then a frame of silence.
    silence: Uint8Array.of(0xf8, 0xff, 0xfe),
    sample_entry: audioSampleEntry("Opus", dOps),
    rollGroup: (packet_count) => [
      fullBox(
        "sbgp",
        0,
        0,
        ascii("roll"),
        ...(packet_count === 0 ? [int32(0)] : [int32(1), int32(packet_count), int32(1)]),
      ),
    ],
    rollDescription: [fullBox("sgpd", 1, 0, ascii("roll"), int32(2), int32(1), int16(OPUS_ROLL_PACKETS))],
    brands: ["Opus"],
    mime_type: 'audio/mp4; codecs="opus"',
  },
  aac: {
    name: "aac",
    packet_samples: PACKET_SAMPLES.aac,
    // 2.005 seconds, which EXT-X-TARGETDURATION rounds to 2.
    segment_packets: 94,
    // ISO/IEC 14496-3, section 4.4.2: a single channel element whose one section has no spectral data, then the end.
    silence: Uint8Array.of(0x00, 0xc8, 0x00, 0x80, 0x23, 0x80),
    sample_entry: audioSampleEntry("mp4a", esds),
    rollGroup: noGroup,
    rollDescription: [],
    brands: [],
    mime_type: 'audio/mp4; codecs="mp4a.40.2"',
  },
};

/** Returns how many packets last about as long as a time. */
export function packetsOf({ packet_samples }: Track, ms: number): number {
  return Math.round((ms * SAMPLE_RATE) / (packet_samples * 1000));
}
