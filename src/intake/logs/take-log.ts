import { GatelogError } from '../../model/errors.ts';
import type { Admit, LogCalls, LoggedCall, SizeOfCalls } from '../../model/record/logged-call.ts';
import type { TakeLog } from '../../model/record/sent-log.ts';
import { invalidLog, type UnknownField } from './log-fields.ts';
import { type ReadLog, readLog, type ToldLog } from './read-log.ts';

export interface TakeLogPorts {
  readonly admit: Admit;
  readonly logCalls: LogCalls;
  /** As {@link readLog}, beside the event loop. */
  readonly readLarge: (organizationId: string, body: Buffer, told: ToldLog, signal: AbortSignal | undefined) => Promise<ReadLog>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A larger body is read in a thread. */
const inlineMaxBytes = 64 * 1024;

/** Takes a log: reads the call in it, then records it. */
export function makeTakeLog({ admit, logCalls, readLarge, now }: TakeLogPorts): TakeLog {
  return async (owner, { logPath, rawHeaders, body, signal }) => {
    checkHeaders(rawHeaders);
    const told = { logPath, headers: tagHeaders(rawHeaders), now: now() };
    const isLarge = body.length > inlineMaxBytes;
    const { call, aliased, warnings, unknown } = isLarge ? await readLarge(owner.organizationId, body, told, signal) : readLog(body, told);
    if (isStrict(rawHeaders)) refuseUnknown(unknown);
    const admission = await admit(owner, sizeOf(call, body), signal);
    const [outcome] = await logCalls(admission, [call]).finally(admission.end);
    if (outcome === undefined) throw new TypeError('a call was recorded without an outcome');
    return { requestId: outcome.requestId, aliased, warnings: [...unknown.map(({ sentence }) => sentence), ...warnings] };
  };
}

/** Its record has what was sent: the bodies, and the tags beside them. */
function sizeOf({ startedAt }: LoggedCall, { length }: Buffer): SizeOfCalls {
  return { bytes: length, startedAt: [startedAt] };
}

/** @throws GatelogError `invalid_body` for the first of them. */
function refuseUnknown([first]: readonly UnknownField[]): void {
  if (first !== undefined) throw invalidLog(first.path, first.sentence);
}

/** @throws GatelogError `unsupported_media_type`. */
function checkHeaders(rawHeaders: readonly string[]): void {
  const type = valueOf(rawHeaders, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? 'application/json';
  if (type !== 'application/json' && !type.endsWith('+json') && type !== 'text/plain') {
    throw new GatelogError('unsupported_media_type', 'A log is JSON; send it with "Content-Type: application/json".');
  }
  const coding = valueOf(rawHeaders, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity' && coding !== '') {
    throw new GatelogError('unsupported_media_type', 'A log is not compressed; send it without Content-Encoding.');
  }
}

/** Headers with tags, their names in the case in which they came. Credentials never go to a thread. */
function tagHeaders(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && /^(?:svc|helicone)-(?!auth$|strict$)/i.test(name) ? [name, rawHeaders[index + 1] ?? ''] : [],
  );
}

function isStrict(rawHeaders: readonly string[]): boolean {
  return ['svc-strict', 'helicone-strict'].some((name) => valueOf(rawHeaders, name)?.trim().toLowerCase() === 'true');
}

function valueOf(rawHeaders: readonly string[], wanted: string): string | undefined {
  const index = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === wanted);
  return index === -1 ? undefined : rawHeaders[index + 1];
}
