import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { ErrorCode, GatelogError } from '../../model/errors.ts';
import type { ExchangeOutcome } from '../../model/record/exchange.ts';
import { isEventStream } from '../../model/record/media-type.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import type { CallLog } from '../observation/call-log.ts';
import { isIdentity } from '../http/content-coding.ts';
import { errorBody, errorHeaders } from '../http/error-response.ts';
import { serverTiming } from '../http/server-timing.ts';
import type { GatewayMeter } from '../observation/metrics.ts';
import type { ExchangeRecorder } from '../record/recorder.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';
import { type ClientHead, DeliveryGate, holdPolicyFor } from './delivery-gate.ts';
import { ProviderFlow } from './provider-flow.ts';
import { readResponseHead } from './response-headers.ts';
import type { ProviderTarget } from '../routing/base-url.ts';
import { originForm } from '../routing/routes.ts';
import type { AddressNotes } from './address-notes.ts';
import { AddressFilter } from './address-filter.ts';
import { PackedAddressFilter } from './packed-address-filter.ts';
import { addressMembersAt, listenerAddress, type Readdress, readdressHeaders, readdressing, withoutDigests } from './reply-addresses.ts';
import { ReplyBeginning, type Seen } from './reply-beginning.ts';
import type { UnpackingAllowance } from './unpacking-time.ts';
import { UsageChunkFilter } from './stream-usage.ts';

export interface RelayOptions {
  readonly response: ServerResponse;
  readonly recorder: ExchangeRecorder;
  readonly meter: GatewayMeter;
  readonly callLog?: CallLog | undefined;
  /** A response to HEAD has no body. */
  readonly method: string;
  /** Our own headers (`svc-id`, …), name and value in turn. */
  readonly responseHeaders: readonly string[];
  /** We asked for the stream's usage, so it is recorded and hidden from the client. */
  readonly hidesUsage: boolean;
  /** Maximum time for which a client may read nothing of a waiting response, milliseconds. */
  readonly clientStallMs: number;
  /** Of the first attempt; undefined where the call goes to no provider. */
  readonly provider: string;
  readonly target: ProviderTarget | undefined;
  /** The gateway's own address, where the deployment names one. */
  readonly publicUrl: string | undefined;
  readonly addressNotes?: AddressNotes | undefined;
  readonly unpacking: UnpackingAllowance;
}

/**
 * `attached`: the response goes to the client. `detached`: the client has left; the call goes on for others and for the record. `ended`:
 * the last frame is on its way to the spool, and later events are ignored.
 */
type Phase = 'attached' | 'detached' | 'ended';

/**
 * Passes a provider's response byte for byte to the client, through the gate, and to the recorder.
 *
 * Invariant: nothing here throws into the spool, whose callbacks serve all calls of this process.
 */
export class Relay implements ResponseSink {
  /** Milliseconds of our own work before the call is sent; set before the head arrives. */
  overheadMs = 0;
  private phase: Phase = 'attached';
  private responseHeaders: readonly string[];
  private readonly options: RelayOptions;
  private readonly flow = new ProviderFlow();
  private readonly gate: DeliveryGate;
  /** What the client gets of a body that is recorded as it came. */
  private filter: ReplyFilter | undefined;
  /** Until the first content of a stream has come. */
  private beginning: ReplyBeginning | undefined;

  constructor(options: RelayOptions) {
    this.options = options;
    this.responseHeaders = options.responseHeaders;
    const { response } = options;
    this.gate = new DeliveryGate(response, options.recorder, this.flow, options.clientStallMs);
    const onClose = (): void => this.onClientDisconnect();
    // TRICKY: not `once`, which allocates an object and a function per call. A second call of `leave` changes nothing.
    response.on('close', onClose);
    if (response.socket !== null) return;
    // TRICKY: when the client leaves, Node closes only the first of several pipelined responses; the others watch the connection.
    const { socket } = response.req;
    socket.once('close', onClose);
    response.once('close', () => socket.off('close', onClose));
  }

  /** Attaches the call to the provider, or aborts it if the client has left meanwhile. */
  begin(call: CallControl): void {
    if (this.phase === 'ended') call.abort(new Error('the client has left'));
    else this.flow.attach(call);
  }

  sentAgain(ms: number): void {
    if (this.phase === 'ended') return;
    this.options.recorder.sentAgain(ms);
    this.announce(['svc-attempts', '2']);
  }

  /** Adds our own headers, name and value in turn, before the response begins. */
  announce(headers: readonly string[]): void {
    this.responseHeaders = [...this.responseHeaders, ...headers];
  }

  /** Takes the provider's head. Interim (1xx) heads are dropped; they concern only the provider and us. */
  start(status: number, raw: HeaderList, message: string): void {
    if (this.phase === 'ended' || status < 200) return;
    const { passed, recorded, hasDate, hasAddress } = readResponseHead(raw);
    this.options.recorder.responseHead(status, recorded);
    const delivered = hasAddress ? readdressHeaders(passed, this.readdress()) : passed;
    const length = recorded['content-length'];
    // TRICKY: one literal. A copy by spread with one member more took a tenth of the CPU of a call.
    const head: ClientHead = {
      status,
      message: reasonPhrase(status, message),
      headers: this.withGatewayHeaders(delivered),
      hasDate,
      contentLength: length === undefined ? undefined : Number(length),
    };
    this.watchBeginning(recorded);
    this.filter = this.filterFor(status, recorded);
    if (this.filter === undefined) this.gate.setHead(head, holdPolicyFor(recorded));
    else {
      // The client gets other bytes than those of the provider's `Content-Length`.
      const headers = withoutDigests(head.headers);
      this.gate.setHead({ ...head, headers, contentLength: undefined }, holdPolicyFor({ ...recorded, 'content-length': undefined }));
    }
  }

  sendHeadEarly(): void {
    const { recorder, method } = this.options;
    recorder.writeOut();
    if (this.phase !== 'attached' || !this.gate.canSendHeadEarly(method)) return;
    if (recorder.isOpened()) this.gate.flushHead();
    else recorder.whenWritten(() => this.sendHeadEarly());
  }

  data(chunk: Buffer): void {
    if (this.phase === 'ended') return;
    const { recorder } = this.options;
    recorder.responsePart(chunk);
    if (this.beginning !== undefined) this.noteContent(this.beginning.see(chunk));
    if (this.phase === 'attached') {
      const delivered = this.filter === undefined ? chunk : this.filter.pass(chunk);
      if (delivered.length > 0) this.gate.pass(delivered);
    }
    if (recorder.isBehind()) this.waitForSpool();
  }

  finish(): void {
    if (this.phase !== 'ended') this.end('complete', () => this.gate.finish(this.filter?.rest()));
  }

  /** Before the provider's head the client gets our error; after it, a broken connection, as from the provider itself. */
  fail(error: GatelogError): void {
    if (this.phase === 'ended') return;
    if (this.gate.status === undefined) {
      this.refuse(error, gatewayErrors.has(error.code) ? 'refused' : 'no_response');
      return;
    }
    this.options.callLog?.failed(this.options.response, error.code);
    this.end('provider_broke', () => this.gate.finishBroken(this.filter?.rest()));
  }

  refuse(error: GatelogError, outcome: 'refused' | 'no_response' = 'refused'): void {
    if (this.phase === 'ended') return;
    if (this.gate.status !== undefined) {
      this.fail(error);
      return;
    }
    if (this.phase === 'detached') {
      this.end('client_left');
      return;
    }
    const { recorder, method, response, callLog } = this.options;
    callLog?.failed(response, error.code);
    const body = errorBody(error);
    const { passed: delivered, recorded } = readResponseHead(errorHeaders(error, body.length));
    const { status } = error;
    const headers = this.withGatewayHeaders(delivered);
    this.gate.setHead({ status, message: reasonPhrase(status, ''), headers, hasDate: false, contentLength: body.length });
    recorder.responseHead(status, recorded);
    recorder.responsePart(body);
    this.end(outcome, () => this.gate.finish(method === 'HEAD' ? undefined : body));
  }

  /**
   * Aborts the call; the record ends with what was seen so far. A call whose response others wait for goes on and is recorded to its end,
   * because it is paid for.
   */
  onClientDisconnect(): void {
    if (this.phase === 'ended') return;
    const { flow } = this;
    if (flow.survivesDisconnect()) {
      this.phase = 'detached';
      this.gate.detachClient();
      return;
    }
    const call = flow.detach();
    if (call?.passBuffered !== undefined) {
      this.gate.detachClient();
      call.passBuffered();
    }
    this.end('client_left');
    call?.abort(new Error('the client has left'));
  }

  /** Ends the exchange once. `deliver` runs when the record is in the spool, unless the client has left by then. */
  private end(outcome: ExchangeOutcome, deliver?: () => void): void {
    const isDetached = this.phase === 'detached';
    this.phase = 'ended';
    this.flow.detach();
    const { recorder, meter, response } = this.options;
    const ended = isDetached ? 'client_left' : outcome;
    if (this.beginning !== undefined) this.noteContent(this.beginning.end());
    recorder.end(ended, this.overheadMs, () => {
      meter.ended(ended, this.gate.status ?? 0, this.overheadMs);
      meter.took(ended === 'refused' ? undefined : recorder.provider, this.gate.status ?? 0, recorder.tookMs);
      if (!recorder.recorded) meter.unrecorded(recorder.unrecordedReason());
      if (!isDetached && !response.destroyed) deliver?.();
    });
  }

  /** A body of known length is no stream, unless it says so. */
  private watchBeginning(recorded: Readonly<Record<string, string>>): void {
    if (recorded['content-length'] !== undefined && !isEventStream(recorded['content-type'])) return;
    this.beginning = new ReplyBeginning(recorded['content-encoding'], { unpacking: this.options.unpacking });
    this.options.recorder.watchesContent();
  }

  private noteContent(seen: Seen): void {
    if (seen === 'nothing') return;
    this.beginning = undefined;
    if (seen === 'content') this.options.recorder.contentBegan();
  }

  private filterFor(status: number, recorded: Readonly<Record<string, string>>): ReplyFilter | undefined {
    const { hidesUsage, provider, target, method } = this.options;
    if (hidesUsage && mayBeEvents(status, recorded)) return new UsageChunkFilter();
    const members = target === undefined || method === 'HEAD' ? undefined : addressMembersAt(provider, target.path);
    if (members === undefined) return undefined;
    const coding = recorded['content-encoding'];
    if (coding === undefined || isIdentity(coding)) return new AddressFilter(members, this.readdress());
    const stayed = (): void => this.options.addressNotes?.stayed(provider, coding);
    return new PackedAddressFilter({ coding, members, readdress: this.readdress(), stayed });
  }

  private readdress(): Readdress {
    const { target, publicUrl, response, addressNotes } = this.options;
    const ours = publicUrl ?? listenerAddress(response.req.socket);
    if (target === undefined || ours === undefined) return () => undefined;
    const readdress = readdressing({ callPath: originForm(response.req.url ?? '/'), target, ours });
    if (publicUrl !== undefined || addressNotes === undefined) return readdress;
    return (address) => {
      const replaced = readdress(address);
      if (replaced?.startsWith(ours) === true) addressNotes.becameServerAddress(ours);
      return replaced;
    };
  }

  private waitForSpool(): void {
    const { flow } = this;
    if (flow.isPausedFor('spool')) return;
    flow.pause('spool');
    this.options.recorder.whenWritten(() => flow.resume('spool'));
  }

  private withGatewayHeaders(headers: string[]): string[] {
    headers.push(...this.responseHeaders, 'server-timing', serverTiming(this.overheadMs));
    return headers;
  }
}

/** Changes what the client gets of a reply. */
type ReplyFilter = Pick<UsageChunkFilter, 'pass' | 'rest'> | AddressFilter | PackedAddressFilter;

/** Whether an unencoded response may be a stream of events, also under another content type; one of known length never is. */
function mayBeEvents(status: number, recorded: Readonly<Record<string, string>>): boolean {
  if (!isIdentity(recorded['content-encoding'])) return false;
  return isEventStream(recorded['content-type']) || (status < 300 && recorded['content-length'] === undefined);
}

/** Errors of ours, not of the provider. */
const gatewayErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'body_too_large',
  'malformed_request',
  'target_not_allowed',
  'too_many_calls',
]);

function reasonPhrase(status: number, message: string): string {
  return message === '' ? (STATUS_CODES[status] ?? '') : message;
}
