import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';

/** Where the certificate of a listener lies, PEM: the chain from its own on, and its key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate with its key, as read. */
export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How often renewed files are looked for. */
const renewalCheckMs = 5000;

/** @throws Error with a sentence for people: a file that cannot be read or parsed, or a key of another certificate. */
export function readTls({ certFile, keyFile }: TlsFiles): Tls {
  const cert = readPart('GATELOG_TLS_CERT_FILE', certFile);
  const key = readPart('GATELOG_TLS_KEY_FILE', keyFile);
  const certificate = parsed('GATELOG_TLS_CERT_FILE', certFile, 'certificate', () => new X509Certificate(cert));
  const privateKey = parsed('GATELOG_TLS_KEY_FILE', keyFile, 'private key without a password', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(
      `The key in ${keyFile} (GATELOG_TLS_KEY_FILE) is not that of the first certificate in ${certFile} (GATELOG_TLS_CERT_FILE).`,
    );
  }
  return { cert, key };
}

function readPart(variable: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`${variable} is ${file}, which cannot be read: ${messageOf(error)}. Let this user read it, or name another file.`, {
      cause: error,
    });
  }
}

function parsed<Part>(variable: string, file: string, noun: string, parse: () => Part): Part {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${variable} is ${file}, which holds no ${noun} in PEM. Name a file that does.`, { cause: error });
  }
}

interface Renewal {
  readonly files: TlsFiles;
  /** Takes a renewed certificate for new connections. */
  readonly take: (tls: Tls) => void;
  readonly observe: Observe;
  readonly checkMs?: number;
}

/**
 * Takes up files that have changed, for new connections. Those that cannot be used, such as a new certificate without its key, are looked at
 * again when they change; until then the earlier ones hold. @returns a function that ends it.
 */
export function followTls({ files, take, observe, checkMs = renewalCheckMs }: Renewal): () => void {
  let seen = stateOf(files);
  const timer = setInterval(() => {
    const state = stateOf(files);
    if (state === seen) return;
    seen = state;
    try {
      take(readTls(files));
      observe({ kind: 'certificate_renewed' });
    } catch (error) {
      observe({ kind: 'certificate_not_renewed', reason: messageOf(error) });
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

function stateOf({ certFile, keyFile }: TlsFiles): string {
  return [certFile, keyFile]
    .map((file) => {
      const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { ino: 0, size: 0, mtimeMs: 0 };
      return `${ino}:${size}:${mtimeMs}`;
    })
    .join();
}
