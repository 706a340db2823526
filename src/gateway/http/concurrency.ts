import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatelogError } from '../../model/errors.ts';
import { IncomingRequest } from './incoming-request.ts';
import { shareOf } from '../../platform/organization-shares.ts';

/**
 * Calls at once on one connection of a client. Nothing in HTTP/1.1 bounds how many it sends ahead. Refusals wait there for their turn, and once they
 * are what Node buffers for a connection (16 KiB, from Node 22 on 64 KiB) it reads no more of that one until they have gone.
 */
export const maxCallsOfConnection = 1000;

/** The calls of one organisation. */
interface OrganizationCalls {
  count: number;
}

interface ConnectionCalls {
  count: number;
  /** How many of them are whose. */
  readonly organizations: Map<OrganizationCalls, number>;
  /** A reply of it is over. */
  readonly ended: (this: ServerResponse) => void;
}

/** Of so many organisations a connection keeps that it had calls. */
const keptOnConnection = 16;
/** With more organisations than this those without a call are forgotten now and then. */
const keptOrganizations = 1024;

/** Counts the calls of this process between their head and the end of their reply, so that those that wait for a slow provider have a bound. */
export class CallsInFlight {
  private readonly max: number;
  private readonly sharePercent: number;
  private count = 0;
  private readonly connections = new WeakMap<Duplex, ConnectionCalls>();
  private readonly organizations = new Map<string, OrganizationCalls>();

  /** @param max calls at once, over all connections. @param sharePercent what an organisation may have of those that others leave. */
  constructor(max: number, sharePercent: number) {
    this.max = max;
    this.sharePercent = sharePercent;
  }

  /** Calls that have not ended. */
  get running(): number {
    return this.count;
  }

  /** Counts a call, until its reply or its connection is over. @returns what speaks against it; then it is not counted. */
  enter(socket: Duplex, response: ServerResponse): GatelogError | undefined {
    if (this.count >= this.max) {
      return tooMany('This gateway has as many calls as it takes at once (GATELOG_CALLS_IN_FLIGHT). Try again in a moment.');
    }
    const connection = this.connections.get(socket) ?? this.meet(socket);
    if (connection.count >= maxCallsOfConnection) {
      return tooMany(
        `This connection has ${maxCallsOfConnection} calls without an answer, as many as one may have. Wait for some, or open another.`,
      );
    }
    this.count += 1;
    connection.count += 1;
    // TRICKY: not `once`, which costs an object and a function for each call. Node says it once; said twice it would lower the counts too far.
    response.on('close', connection.ended);
    return undefined;
  }

  /** A call that was counted is known to be an organisation's. @throws GatelogError `too_many_calls` where that has as many as it may have beside others. */
  belongsTo(organizationId: string, request: IncomingRequest): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined || connection.count === 0) return;
    const organization = this.organizations.get(organizationId) ?? this.meetOrganization(organizationId);
    const others = this.count - organization.count - 1;
    if (organization.count >= shareOf(this.max, others, this.sharePercent)) throw tooMany(this.shareSentence());
    organization.count += 1;
    connection.organizations.set(organization, (connection.organizations.get(organization) ?? 0) + 1);
    request.caller = organization;
  }

  private shareSentence(): string {
    const { sharePercent, max } = this;
    return (
      'Your organisation has as many calls at once as it may have beside others ' +
      `(GATELOG_ORGANIZATION_SHARE_PERCENT: ${sharePercent} of what others leave of GATELOG_CALLS_IN_FLIGHT: ${max}). Try again when some of them have ended.`
    );
  }

  private ended(connection: ConnectionCalls, { req }: ServerResponse): void {
    if (connection.count === 0) return;
    connection.count -= 1;
    this.count -= 1;
    const organization = req instanceof IncomingRequest ? req.caller : undefined;
    if (organization === undefined) return;
    organization.count -= 1;
    const left = (connection.organizations.get(organization) ?? 1) - 1;
    // A connection of a proxy may have calls of ever other organisations; that of one client is not made anew for each call.
    if (left > 0 || connection.organizations.size <= keptOnConnection) connection.organizations.set(organization, left);
    else connection.organizations.delete(organization);
  }

  private meet(socket: Duplex): ConnectionCalls {
    const end = (response: ServerResponse): void => this.ended(connection, response);
    const connection: ConnectionCalls = {
      count: 0,
      organizations: new Map(),
      ended(this: ServerResponse): void {
        end(this);
      },
    };
    // TRICKY: of the calls that a closed connection had Node tells only one, before or after.
    socket.once('close', () => {
      this.count -= connection.count;
      connection.count = 0;
      for (const [organization, count] of connection.organizations) organization.count -= count;
      connection.organizations.clear();
    });
    this.connections.set(socket, connection);
    return connection;
  }

  private meetOrganization(organizationId: string): OrganizationCalls {
    if (this.organizations.size >= keptOrganizations) {
      for (const [name, { count }] of this.organizations) if (count === 0) this.organizations.delete(name);
    }
    const organization: OrganizationCalls = { count: 0 };
    this.organizations.set(organizationId, organization);
    return organization;
  }
}

function tooMany(sentence: string): GatelogError {
  return new GatelogError('too_many_calls', sentence);
}
