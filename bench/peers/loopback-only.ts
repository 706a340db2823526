import { Server } from 'node:net';

/**
 * Loaded before a program that offers no setting for its address: what it would open to the whole network it opens on 127.0.0.1.
 * Nothing else about the program changes.
 */

const listen: unknown = Reflect.get(Server.prototype, 'listen');

Server.prototype.listen = function listenOnLoopback(this: Server, ...parameters: unknown[]): Server {
  const [port, host, ...rest] = parameters;
  const bound = typeof port === 'number' && host === undefined ? [port, '127.0.0.1', ...rest] : parameters;
  if (typeof listen === 'function') Reflect.apply(listen, this, bound);
  return this;
};
