import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatelogError } from '../../model/errors.ts';
import { IncomingRequest } from './incoming-request.ts';
import { shareOf } from '../../platform/organization-shares.ts';

/**
 * HTTP/1.1 does not bound pipelining. Our 503s queue behind earlier responses; once Node's write buffer for the connection is full (16 KiB,
 * from Node 22 on 64 KiB) it stops reading, which is the back-pressure.
 */
export const maxCallsOfConnection = 1000;

interface OrganizationCalls {
  count: number;
}

interface ConnectionCalls {
  count: number;
  readonly organizations: Map<OrganizationCalls, number>;
  readonly ended: (this: ServerResponse) => void;
}

/** A connection forgets organisations without calls above this number. */
const keptOnConnection = 16;
/** Above this number, organisations without calls are forgotten. */
const keptOrganizations = 1024;

/** Counts the calls of this process from their headers to the end of their response, which bounds those that wait for slow providers. */
export class CallsInFlight {
  private readonly max: number;
  private readonly sharePercent: number;
  private count = 0;
  private readonly connections = new WeakMap<Duplex, ConnectionCalls>();
  private readonly organizations = new Map<string, OrganizationCalls>();

  /** @param max calls over all connections. @param sharePercent of the calls that other organisations leave. */
  constructor(max: number, sharePercent: number) {
    this.max = max;
    this.sharePercent = sharePercent;
  }

  get running(): number {
    return this.count;
  }

  /** Counts a call until its response or connection closes. @returns why it is rejected; it is not counted then. */
  enter(socket: Duplex, response: ServerResponse): GatelogError | undefined {
    if (this.count >= this.max) {
      return tooMany('This gateway has as many calls as it takes at once (GATELOG_CALLS_IN_FLIGHT). Try again in a moment.');
    }
    const connection = this.connections.get(socket) ?? this.addConnection(socket);
    if (connection.count >= maxCallsOfConnection) {
      return tooMany(
        `This connection has ${maxCallsOfConnection} calls without an answer, as many as one may have. Wait for some, or open another.`,
      );
    }
    this.count += 1;
    connection.count += 1;
    // TRICKY: not `once`, which allocates twice per call. Node emits `close` once.
    response.on('close', connection.ended);
    return undefined;
  }

  /** Assigns a counted call to its organisation. @throws GatelogError `too_many_calls` when the organisation has its share. */
  assign(organizationId: string, request: IncomingRequest): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined || connection.count === 0) return;
    const organization = this.organizations.get(organizationId) ?? this.addOrganization(organizationId);
    const others = this.count - organization.count - 1;
    if (organization.count >= shareOf(this.max, others, this.sharePercent)) throw tooMany(this.shareSentence());
    organization.count += 1;
    connection.organizations.set(organization, (connection.organizations.get(organization) ?? 0) + 1);
    request.organizationCalls = organization;
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
    const organization = req instanceof IncomingRequest ? req.organizationCalls : undefined;
    if (organization === undefined) return;
    organization.count -= 1;
    const left = (connection.organizations.get(organization) ?? 1) - 1;
    // A proxy's connection may carry calls of ever new organisations; a client's own entry is kept for its next call.
    if (left > 0 || connection.organizations.size <= keptOnConnection) connection.organizations.set(organization, left);
    else connection.organizations.delete(organization);
  }

  private addConnection(socket: Duplex): ConnectionCalls {
    const end = (response: ServerResponse): void => this.ended(connection, response);
    const connection: ConnectionCalls = {
      count: 0,
      organizations: new Map(),
      ended(this: ServerResponse): void {
        end(this);
      },
    };
    // TRICKY: Node emits `close` for only one of the responses on a closed connection, before or after this event.
    socket.once('close', () => {
      this.count -= connection.count;
      connection.count = 0;
      for (const [organization, count] of connection.organizations) organization.count -= count;
      connection.organizations.clear();
    });
    this.connections.set(socket, connection);
    return connection;
  }

  private addOrganization(organizationId: string): OrganizationCalls {
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
