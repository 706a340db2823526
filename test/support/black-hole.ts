import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

/** A port of this machine that answers no attempt to connect, as an address does behind a firewall that drops packets. */
export interface BlackHole {
  readonly port: number;
  readonly close: () => void;
}

/** Listens, and then never looks at its connections again. It ends with its parent, whose end closes the pipe. */
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

/** A connection on this machine is there at once or not at all. */
const connectMs = 200;
const maxFillers = 64;

/** The system completes connections until the queue of the listener is full, and then lets attempts hang: the queue is filled here. */
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
    // What has come meanwhile is looked at after the timers.
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
