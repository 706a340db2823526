import type { Readable } from 'node:stream';
import { UsageError } from './dependencies.ts';

/** As an argument: the value comes from standard input, where other users of the machine do not see it. */
const fromStandardInput = '-';

const maxSecretBytes = 64 * 1024;

/** @returns a value as it was given, or what standard input holds where `-` was given. @throws UsageError where that is too long or empty. */
export async function secretValue(given: string, input: Readable = process.stdin): Promise<string> {
  return given === fromStandardInput ? readSecret(input, maxSecretBytes) : given;
}

/** @throws UsageError for more bytes than that, or none. */
export async function readSecret(input: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UsageError(`Standard input holds more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8').trim();
  if (text === '') throw new UsageError('Standard input is empty.');
  return text;
}
