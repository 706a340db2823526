const packedEvent = /"bytes"\s*:\s*"([A-Za-z0-9+/=]+)"/g;

/** The events of a model's own stream, which Amazon's binary messages hold in base64. @param messages latin1. @returns latin1. */
export function* packedEventsIn(messages: string): Generator<string> {
  for (const [, base64 = ''] of messages.matchAll(packedEvent)) yield Buffer.from(base64, 'base64').toString('latin1');
}
