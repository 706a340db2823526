import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import type { CallsEnd } from '../../platform/http/server.ts';
import type { CallsInFlight } from './concurrency.ts';

const lookMs = 20;

/** The end of a gateway: once it begins no call is taken, `/readyz` is 503, and calls that run go on. */
export class Draining {
  private readonly calls: CallsInFlight;
  private readonly latest: WeakMap<object, ServerResponse>;
  private readonly connections = new Set<Socket>();
  private isOn = false;

  /** @param latest the last reply of each connection. */
  constructor(calls: CallsInFlight, latest: WeakMap<object, ServerResponse>) {
    this.calls = calls;
    this.latest = latest;
  }

  get hasBegun(): boolean {
    return this.isOn;
  }

  /** Notes a connection that was opened. */
  readonly meet = (socket: Socket): void => {
    this.connections.add(socket);
    socket.once('close', () => this.connections.delete(socket));
  };

  /** Takes no further call. Replies that have not begun say that theirs is the last on its connection. */
  begin(): void {
    this.isOn = true;
    for (const socket of this.connections) {
      const response = this.latest.get(socket);
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false;
    }
  }

  /** Settles when no call runs any more, or none may. @returns whether all have ended. */
  async ended({ maxMs, cut }: CallsEnd): Promise<boolean> {
    const deadline = performance.now() + maxMs;
    while (this.calls.running > 0 && performance.now() < deadline && !cut.aborted) await wait(lookMs);
    return this.calls.running === 0;
  }
}

/** What a call hears that comes too late. */
export function stoppingProblem(): GatelogError {
  return new GatelogError('stopping', 'This gateway is stopping and takes no further calls. Send it again in a moment, or to another one.');
}
