import { createServer } from 'node:net';
import { isSystemError } from '../platform/files.ts';
import { localAddresses } from '../platform/http/local-addresses.ts';

/** A listener that is about to open. */
export interface PlannedListener {
  /** Its name for people. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The setting that changes its port. */
  readonly variable: string;
}

/** Checks whether a port can be bound, before any process starts. @returns a sentence for people when it cannot. */
export async function portProblem(listener: PlannedListener): Promise<string | undefined> {
  const { host, port, name, variable } = listener;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    return undefined;
  } catch (error) {
    const code = isSystemError(error) ? error.code : undefined;
    const why = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be opened (${code ?? 'unknown reason'})`;
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EADDRNOTAVAIL') {
      return `GATELOG_HOST is ${host}, which is no address of this machine (${code}). Set it to one of ${localAddresses().join(', ')}; 0.0.0.0 is all of them.`;
    }
    if (code === 'EACCES') {
      return `Port ${port}, wanted for the ${name}, is kept for the system (EACCES). Set ${variable} to a port from 1024 on.`;
    }
    return `Port ${port} on ${host}, wanted for the ${name}, ${why}. Set ${variable} to another port.`;
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  }
}
