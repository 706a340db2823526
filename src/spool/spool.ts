/**
 * # The spool: a buffer on disk between a response and its record
 *
 * Constraints. A gateway worker appends some ten thousand exchanges a second, each of a few frames, and may delay a response by only a few
 * hundredths of a millisecond. Appended frames survive kill -9 of every process here; with `always` also a power loss, with `interval` a
 * power loss except for its last second. Bodies of any size pass through bounded memory, so an exchange is a sequence of frames and the
 * frames of many exchanges interleave. Reading is by one ingest, possibly much later, possibly by a newer version.
 *
 * Layout.
 *   <spool>/id                          random identity of this spool: part of every deduplication token
 *   <spool>/checkpoint.json             what the store has accepted (written by the ingest, see `checkpoint.ts`)
 *   <spool>/ingest.lock                 allows one ingest per spool
 *   <spool>/<series>/lock               held by the worker that writes the series, for its whole life
 *   <spool>/<series>/<number>.seg       segments in order; a new process never appends to an old file
 *   <spool>/.new-…, <spool>/.gone-…     series that are being created or deleted; the next worker removes leftovers of a crash
 *
 * A segment is a 16-byte header and frames. A frame is a 28-byte header and its payload (see `frame.ts`), each with a checksum.
 *
 * Who creates and who deletes. A worker creates its series and segments, both under another name until they are complete. Only the ingest
 * deletes: a segment once every exchange with a frame in it is accepted durably by the store, a series once its worker is dead and all of
 * it is accepted. So that one exchange that stays open does not keep everything after it, the ingest copies the frames of such exchanges into
 * the last segment below the accepted position, which then replaces all segments before it (see `compact.ts`).
 *
 * Crash cases.
 *   worker dies in a write      the frame at the end of its last segment is torn: it is longer than the file
 *   worker dies between frames  exchanges without an `end` frame are abandoned: they are recorded as broken off once the lock is free
 *   worker dies while starting  its series has no name yet, so no reader sees it; the next worker removes it
 *   ingest dies                 the next one reads from the oldest remaining segment and skips what the checkpoint says is accepted
 *   ingest dies compacting      either nothing has changed, or the segments below the compacted one are void, and deleted later
 *   write fails (disk full)     whole frames of the batch stay, the torn one is skipped; the responses get a report of the loss. The writer
 *                               continues in a new segment and fails until it gets one, so that no frame ever follows a torn one
 *   disk full at the start      the worker starts without a series, reports every loss, and tries again
 *   power fails                 as a worker's death, minus frames after the last sync (none with `always`)
 *   disk damages a payload      the reader skips its frame by the length and reports it
 *   disk damages a header       the reader tries every byte until it finds an intact header, and reports the skipped bytes
 *
 * Invariant: this room moves bytes. It does not know exchanges; kinds, streams and stamps belong to its user.
 */

/** A place in a series; ordered by segment, then by offset. */
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
  /** A number given with the frame, 0 to 2³²−1. */
  readonly stamp: number;
}

/** Negative when `left` is before `right`, 0 for the same place. */
export function comparePositions(left: Position, right: Position): number {
  return left.segment - right.segment || left.offset - right.offset;
}

export const lockName = 'lock';
export const unfinishedPrefix = '.new-';
export const deletedPrefix = '.gone-';

/** Names that start with a dot belong to unfinished series, or to none. */
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
