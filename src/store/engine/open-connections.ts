import type { Connect } from './connections.ts';
import { openEmbedded } from './embedded-connections.ts';
import { defaultReadConnections } from './lanes.ts';
import { openServers } from './server-connections.ts';

/** Opens all connections. @throws when another process holds the embedded folder. */
export const openConnections: Connect = (location, onWait = () => undefined, reads = defaultReadConnections) =>
  'folder' in location ? openEmbedded(location, onWait, reads) : openServers(location, onWait, reads);
