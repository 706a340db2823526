import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isSystemError } from '../platform/files.ts';
import type { Reading } from './reading.ts';
import { settingRows } from './variables.ts';

/** More than any secret has. */
const maxBytes = 64 * 1024;
const secrets: ReadonlySet<string> = new Set(settingRows.flatMap(([, { name, secret }]) => (secret === true ? [name] : [])));
const providerKey = /^GATELOG_PROVIDER_[A-Z0-9_]+_KEY$/;

/** What the variables of this form are for. */
export const secretFilesText = `Path of a file that holds a secret, in place of the secret itself; <SECRET> is one of ${[...secrets]
  .map((name) => name.slice('GATELOG_'.length))
  .toSorted()
  .join(', ')} and PROVIDER_<NAME>_KEY. A line break at the end does not count.`;

/** The variable that names a file with this secret; undefined for a setting that is none. */
export function secretFileOf(variable: string): string | undefined {
  return secrets.has(variable) || providerKey.test(variable) ? `${variable}_FILE` : undefined;
}

/** The secret of a variable that names its file; undefined for any other one. */
export function secretOfFile(variable: string): string | undefined {
  const secret = variable.endsWith('_FILE') ? variable.slice(0, -'_FILE'.length) : '';
  return secretFileOf(secret) === variable ? secret : undefined;
}

/** The content without its last line break. A problem continues a sentence that ends in the file's name; it holds nothing of the content. */
export function readSecretFile(file: string): Reading<string> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const found = fstatSync(descriptor);
    if (!found.isFile()) return { problem: 'which is no file' };
    if (found.size > maxBytes) return { problem: `which has more than ${maxBytes} bytes` };
    const value = readFileSync(descriptor, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? { problem: 'which is empty' } : { value };
  } catch (error) {
    const code = isSystemError(error) ? error.code : undefined;
    return { problem: code === 'ENOENT' ? 'which does not exist' : `which this user cannot read (${code ?? 'unknown reason'})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
