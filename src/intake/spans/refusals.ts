import { GatelogError } from '../../model/errors.ts';

export function tooLarge(maxBytes: number): GatelogError {
  return new GatelogError(
    'body_too_large',
    `A request of OTLP has at most ${maxBytes} bytes (GATELOG_OTLP_MAX_BYTES), decompressed; send smaller batches, as OTEL_BSP_MAX_EXPORT_BATCH_SIZE sets.`,
  );
}
