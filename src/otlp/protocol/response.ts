import { PbfWriter } from 'pbf';
import { quoted } from '../../model/text.ts';
import { reasonLimits, spanLimits } from '../received/limits.ts';
import type { DecodedSpans } from './decoded.ts';
import type { Encoding } from './encoding.ts';

/** Why spans were not taken, one reason for each, and how many came behind the most that a request has. */
export type Rejected = Pick<DecodedSpans, 'rejected' | 'beyond'>;

/** What is counted, as a person says it and as JSON names the count. Protocol buffers have both in the same fields. */
const counted = {
  spans: ['spans', 'rejectedSpans'],
  logs: ['log records', 'rejectedLogRecords'],
} as const;

/** An `ExportTraceServiceResponse`, or that of logs: empty when all were taken, else how many were not, and why. */
export function successBody(encoding: Encoding, { rejected, beyond }: Rejected, holds: keyof typeof counted = 'spans'): Uint8Array {
  const [things, member] = counted[holds];
  const count = rejected.length + beyond;
  const errorMessage = reasonsOf(rejected, beyond, things);
  if (encoding === 'json') {
    return Buffer.from(JSON.stringify(count === 0 ? {} : { partialSuccess: { [member]: String(count), errorMessage } }));
  }
  const writer = new PbfWriter();
  if (count > 0) {
    writer.writeMessage(
      1,
      (_, partial) => {
        partial.writeVarintField(1, count);
        partial.writeStringField(2, errorMessage);
      },
      undefined,
    );
  }
  return writer.finish();
}

/** Each reason once, with the number of spans that it holds for. */
function reasonsOf(rejected: readonly string[], beyond: number, things: string): string {
  const counts = new Map<string, number>();
  if (beyond > 0) counts.set(`a request has at most ${spanLimits.spans} ${things}; send smaller batches`, beyond);
  for (const reason of rejected) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const shown = [...counts].slice(0, reasonLimits.reasons).map(([reason, count]) => `${count} × ${shortened(reason)}`);
  const more = counts.size - shown.length;
  return `Not recorded: ${shown.join('; ')}${more > 0 ? `; and ${more} other reasons` : ''}.`;
}

function shortened(reason: string): string {
  return reason.length <= reasonLimits.characters ? reason : quoted(reason.slice(0, reasonLimits.characters));
}
