import type { Context } from 'hono';
import type { OperatorPorts } from './ports.ts';

/** What a handler gets. */
export interface OperatorCall {
  readonly context: Context;
  readonly ports: OperatorPorts;
}

/** One endpoint of the operator's room. The path is written `/dead-letters/:id`. */
export interface OperatorEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly handle: (call: OperatorCall) => Promise<Response>;
}
