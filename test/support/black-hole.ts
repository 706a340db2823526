import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

/** A port of this machine that leaves connection attempts unanswered, like an address behind a firewall that drops packets. */
export interface BlackHole {
  readonly port: number;
  readonly close: () => void;
}

/** Listens and never accepts. It ends with its parent, which closes the pipe. */
const listener = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n');
    try {
      require('node:fs').readSync(0, Buffer.alloc(1));
    } finally {
      process.exit();
    }
  });
`;

/** A connection on loopback succeeds at once or never. */
const connectMs = 200;
const maxFillers = 64;

/**
 * The kernel completes connections until the backlog of the listener is full, and ignores later attempts: this function fills the backlog.
 */
export async function openBlackHole(): Promise<BlackHole> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(String(line).trim());
  const fillers: Socket[] = [];
  let isOpen = true;
  while (isOpen) {
    if (fillers.length === maxFillers) throw new Error('the queue of the listener does not fill up');
    const filler = connect(port, '127.0.0.1');
    filler.on('error', () => undefined);
    fillers.push(filler);
    await wait(connectMs);
    // The event loop handles a completed connection after the timers.
    await turn();
    await turn();
    isOpen = !filler.connecting;
  }
  return {
    port,
    close: () => {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
    },
  };
}
