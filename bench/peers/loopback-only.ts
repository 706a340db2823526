import { Server } from 'node:net';

/**
 * Preloaded into a program without a setting for its address: it binds to 127.0.0.1 instead of all interfaces. Nothing else about the
 * program changes.
 */

const listen: unknown = Reflect.get(Server.prototype, 'listen');

Server.prototype.listen = function listenOnLoopback(this: Server, ...parameters: unknown[]): Server {
  const [port, host, ...rest] = parameters;
  const bound = typeof port === 'number' && host === undefined ? [port, '127.0.0.1', ...rest] : parameters;
  if (typeof listen === 'function') Reflect.apply(listen, this, bound);
  return this;
};
