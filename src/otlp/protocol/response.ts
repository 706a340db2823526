import { PbfWriter } from 'pbf';
import { quoted } from '../../model/text.ts';
import { reasonLimits } from '../limits.ts';
import type { Encoding } from './encoding.ts';

/** An `ExportTraceServiceResponse`: empty when all spans were taken, else how many were not, and why. */
export function successBody(encoding: Encoding, rejected: readonly string[]): Uint8Array {
  const errorMessage = reasonsOf(rejected);
  if (encoding === 'json') {
    return Buffer.from(
      JSON.stringify(rejected.length === 0 ? {} : { partialSuccess: { rejectedSpans: String(rejected.length), errorMessage } }),
    );
  }
  const writer = new PbfWriter();
  if (rejected.length > 0) {
    writer.writeMessage(
      1,
      (_, partial) => {
        partial.writeVarintField(1, rejected.length);
        partial.writeStringField(2, errorMessage);
      },
      undefined,
    );
  }
  return writer.finish();
}

/** Each reason once, with the number of spans that it holds for. */
function reasonsOf(rejected: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of rejected) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const shown = [...counts].slice(0, reasonLimits.reasons).map(([reason, count]) => `${count} × ${shortened(reason)}`);
  const more = counts.size - shown.length;
  return `Not recorded: ${shown.join('; ')}${more > 0 ? `; and ${more} other reasons` : ''}.`;
}

function shortened(reason: string): string {
  return reason.length <= reasonLimits.characters ? reason : quoted(reason.slice(0, reasonLimits.characters));
}
