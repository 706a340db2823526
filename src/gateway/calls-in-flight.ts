import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatelogError } from '../model/errors.ts';

/**
 * Calls at once on one connection of a client. Nothing in HTTP/1.1 bounds how many it sends ahead. Refusals wait there for their turn, and once they
 * are what Node buffers for a connection (16 KiB, from Node 22 on 64 KiB) it reads no more of that one until they have gone.
 */
export const mostCallsOfConnection = 1000;

interface ConnectionCalls {
  count: number;
  /** A reply of it is over. */
  readonly ended: () => void;
}

/** Counts the calls of this process between their head and the end of their reply, so that those that wait for a slow provider have a bound. */
export class CallsInFlight {
  private readonly most: number;
  private count = 0;
  private readonly connections = new WeakMap<Duplex, ConnectionCalls>();

  /** @param most calls at once, over all connections. */
  constructor(most: number) {
    this.most = most;
  }

  /** Calls that have not ended. */
  get running(): number {
    return this.count;
  }

  /** Counts a call, until its reply or its connection is over. @returns what speaks against it; then it is not counted. */
  enter(socket: Duplex, response: ServerResponse): GatelogError | undefined {
    if (this.count >= this.most) {
      return tooMany('This gateway has as many calls as it takes at once (GATELOG_CALLS_IN_FLIGHT). Try again in a moment.');
    }
    const connection = this.connections.get(socket) ?? this.meet(socket);
    if (connection.count >= mostCallsOfConnection) {
      return tooMany(
        `This connection has ${mostCallsOfConnection} calls without an answer, as many as one may have. Wait for some, or open another.`,
      );
    }
    this.count += 1;
    connection.count += 1;
    // TRICKY: not `once`, which costs an object and a function for each call. Node says it once; said twice it would lower the counts too far.
    response.on('close', connection.ended);
    return undefined;
  }

  private meet(socket: Duplex): ConnectionCalls {
    const connection = {
      count: 0,
      ended: (): void => {
        if (connection.count === 0) return;
        connection.count -= 1;
        this.count -= 1;
      },
    };
    // TRICKY: of the calls that a closed connection had Node tells only one, before or after.
    socket.once('close', () => {
      this.count -= connection.count;
      connection.count = 0;
    });
    this.connections.set(socket, connection);
    return connection;
  }
}

function tooMany(sentence: string): GatelogError {
  return new GatelogError('too_many_calls', sentence);
}
