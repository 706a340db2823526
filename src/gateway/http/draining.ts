import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import type { CallsEnd } from '../../platform/http/server.ts';
import type { CallsInFlight } from './concurrency.ts';

const pollMs = 20;

/** Graceful stop: new calls are rejected, `/readyz` is 503, and calls in flight go on. */
export class Draining {
  private readonly calls: CallsInFlight;
  private readonly lastResponses: WeakMap<object, ServerResponse>;
  private readonly connections = new Set<Socket>();
  private isOn = false;

  /** @param lastResponses the last response on each connection. */
  constructor(calls: CallsInFlight, lastResponses: WeakMap<object, ServerResponse>) {
    this.calls = calls;
    this.lastResponses = lastResponses;
  }

  get hasBegun(): boolean {
    return this.isOn;
  }

  readonly addConnection = (socket: Socket): void => {
    this.connections.add(socket);
    socket.once('close', () => this.connections.delete(socket));
  };

  /** Responses that have not begun close their connection. */
  begin(): void {
    this.isOn = true;
    for (const socket of this.connections) {
      const response = this.lastResponses.get(socket);
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false;
    }
  }

  /** Waits for the calls in flight. @returns whether all have ended. */
  async ended({ maxMs, cut }: CallsEnd): Promise<boolean> {
    const deadline = performance.now() + maxMs;
    while (this.calls.running > 0 && performance.now() < deadline && !cut.aborted) await wait(pollMs);
    return this.calls.running === 0;
  }
}

export function stoppingProblem(): GatelogError {
  return new GatelogError('stopping', 'This gateway is stopping and takes no further calls. Send it again in a moment, or to another one.');
}
