import { hash, randomBytes } from 'node:crypto';
import { readFileIfPresent, replaceFile } from '../platform/files.ts';

const secretBytes = 32;

/**
 * The deployment's secret, 32 bytes: from the setting when there is one, else from a file of its own that is made at the first start
 * (mode 0600). Whoever has it can sign addresses in the name of this deployment.
 */
export function deploymentSecret(setting: string | undefined, file: string): Buffer {
  if (setting !== undefined) return hash('sha256', setting, 'buffer');
  const kept = readFileIfPresent(file)?.trim();
  if (kept !== undefined && /^[0-9a-f]{64}$/.test(kept)) return Buffer.from(kept, 'hex');
  if (kept !== undefined) {
    throw new Error(`The file ${file} does not hold a secret of this program; restore it, or remove it for a new one.`);
  }
  const made = randomBytes(secretBytes);
  replaceFile(file, `${made.toString('hex')}\n`);
  return made;
}
