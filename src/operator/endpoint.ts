import type { Context } from 'hono';
import type { OperatorPorts } from './ports.ts';

export interface OperatorCall {
  readonly context: Context;
  readonly ports: OperatorPorts;
}

/** One operator endpoint. Paths are written `/dead-letters/:id`. */
export interface OperatorEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly handle: (call: OperatorCall) => Promise<Response>;
}
