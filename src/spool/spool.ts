/**
 * # The spool: what stands between a reply and its record
 *
 * Constraints. A gateway worker appends at some ten thousand exchanges a second, each of a few frames, and may not make a reply wait longer
 * than some hundredths of a millisecond. What was appended survives kill -9 of every process here; with `always` also a power loss, with
 * `interval` all but the last second of it. Bodies of any size pass through bounded memory, so an exchange is a sequence of frames and the
 * frames of many exchanges interleave. Reading is by one ingest, possibly much later, possibly by a newer version.
 *
 * Layout.
 *   <spool>/id                          random identity of this spool: part of every deduplication token
 *   <spool>/checkpoint.json             what the store has accepted (written by the ingest, see `checkpoint.ts`)
 *   <spool>/ingest.lock                 one ingest for a spool
 *   <spool>/<series>/lock               held by the worker that writes the series, for as long as it lives
 *   <spool>/<series>/<number>.seg       segments in order; a new process never appends to an old file
 *   <spool>/.new-…, <spool>/.gone-…     series that are being made or deleted; what a crash leaves of them, the next worker removes
 *
 * A segment is a 16-byte header and frames. A frame is a 28-byte header and its payload (see `frame.ts`), each with a checksum.
 *
 * Who creates and who deletes. A worker creates its series and segments, both under another name until they are complete. Only the ingest
 * deletes: a segment once every exchange with a frame in it is accepted durably by the store, a series once its worker is dead and all of it is
 * accepted. So that one exchange that stays open does not keep all that came after it, the ingest carries the frames of such ones into the last
 * segment below what is accepted, which from then on stands for all before it.
 *
 * Crash cases.
 *   worker dies in a write      the frame at the end of its last segment is torn: it is longer than the file
 *   worker dies between frames  exchanges without an `end` frame are abandoned: they are recorded as broken off once the lock is free
 *   worker dies coming up       its series has not got its name yet, so nobody sees it; the next worker removes it
 *   ingest dies                 the next one reads from the oldest segment that is left and skips what the checkpoint says is accepted
 *   ingest dies carrying        either nothing has changed, or the segments below the one that stands for them are void, and deleted later
 *   write fails (disk full)     whole frames of the group stay, the torn one is passed over; the loss is reported to the replies. The writer
 *                               goes on in a new segment and fails until it gets one, so that no frame ever stands behind a torn one
 *   disk full at the start      the worker comes up without a series, reports every loss, and tries again
 *   power fails                 as a worker's death, minus frames after the last sync (none with `always`)
 *   disk damages a payload      its frame is passed over by its length and reported
 *   disk damages a header       every byte is tried until a header with a right checksum comes; what was passed over is reported
 *
 * Invariant: this room moves bytes. It does not know what an exchange is; kinds, streams and stamps are its user's.
 */

/** Where in a series something stands; positions order first by segment, then by offset. */
export interface Position {
  readonly segment: number;
  /** Bytes from the start of the segment file. */
  readonly offset: number;
}

/** A frame found by the reader. */
export interface FrameLocation extends Position {
  /** Bytes of the payload, which starts right after the frame's header. */
  readonly length: number;
  readonly kind: number;
  /** Number of the stream (one exchange) within the series. */
  readonly stream: number;
  /** A number that the writer's user gave with the frame, 0 to 2³²−1. */
  readonly stamp: number;
}

/** Negative when `left` stands before `right`, 0 for the same place. */
export function comparePositions(left: Position, right: Position): number {
  return left.segment - right.segment || left.offset - right.offset;
}

export const lockName = 'lock';
export const unfinishedPrefix = '.new-';
export const deletedPrefix = '.gone-';

/** Names that start with a dot are not finished, or not series. */
export const seriesNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** File name of a segment: zero-padded, so that names sort as numbers do. */
export function segmentName(number: number): string {
  return `${String(number).padStart(10, '0')}.seg`;
}

/** Number of a segment file name, undefined for other files. */
export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{10})\.seg$/.exec(name);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
