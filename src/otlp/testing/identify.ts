import { createHash } from 'node:crypto';
import { type RequestId, uuidOfHex } from '../../model/ids.ts';
import type { IdentifyTexts } from '../calls/log-texts.ts';

/** A UUIDv7 of the texts' time. */
export const deriveIdOf: IdentifyTexts = ({ traceId, spanId, startMs, content }): RequestId => {
  const hash = createHash('sha256')
    .update(`${traceId}${spanId}${Buffer.concat(content).toString()}`)
    .digest('hex');
  return uuidOfHex(`${startMs.toString(16).padStart(12, '0')}7${hash.slice(0, 3)}8${hash.slice(3, 18)}`);
};
