import type { ServerResponse } from 'node:http';
import type { GatelogError } from '../../model/errors.ts';
import { type BodyReservation, type BodyMemory, uncountedMaxBytes } from './memory.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { BodyPieces, declaredLength, type RequestBody } from '../http/request-body.ts';

export interface ReservationOptions {
  readonly reservation: BodyReservation;
  readonly bufferMaxBytes: number;
  /** Maximum number of copies of the body at once. */
  readonly copies: number;
  /** False: the call streams its body rather than wait for memory. */
  readonly isNeeded: boolean;
}

/** A call whose body is held. */
export interface ReservingCall {
  readonly request: IncomingRequest;
  readonly response: ServerResponse;
  bodyReservation: BodyReservation | undefined;
}

/** What a plan says of the bodies that stay in memory. */
export interface PlannedBodies {
  readonly outgoing: RequestBody;
  /** Undefined for a single attempt. */
  readonly retryPlan: object | undefined;
  /** Undefined for a call without the response cache. */
  readonly cache: object | undefined;
}

/** Whether buffering the body needs a reservation: not if it is declared small, or too large to buffer. */
export function isCounted(request: IncomingRequest, bufferMaxBytes: number): boolean {
  if (bufferMaxBytes === 0) return false;
  const length = declaredLength(request);
  return length === undefined || (length > uncountedMaxBytes && length <= bufferMaxBytes);
}

/** Opens a reservation that is released with its call at the latest. */
export function reserveBody(bodyMemory: BodyMemory, call: ReservingCall, organizationId: string): BodyReservation {
  const { request, response } = call;
  const reservation = bodyMemory.open(organizationId);
  const { socket } = request;
  const end = (): void => {
    socket.off('close', end);
    reservation.release();
  };
  response.once('close', end);
  // TRICKY: Node reports a disconnect only to the current one of pipelined calls.
  if (response.socket === null) socket.once('close', end);
  call.bodyReservation = reservation;
  return reservation;
}

/**
 * Buffers a body as `readBody` does, within the budget: a known length is reserved before reading, an unknown one as the body grows.
 * `ready` is called once, with an error if a needed body found no memory in time.
 */
export function readReservedBody(
  request: IncomingRequest,
  options: ReservationOptions,
  ready: (body: RequestBody | GatelogError) => void,
): void {
  const length = declaredLength(request);
  if (length === undefined) new GrowingBody(request, options, ready).read();
  else readDeclared(request, { ...options, length }, ready);
}

function readDeclared(
  request: IncomingRequest,
  { reservation, copies, isNeeded, length }: ReservationOptions & { readonly length: number },
  ready: (body: RequestBody | GatelogError) => void,
): void {
  if (reservation.tryGrow(length * copies)) collectDeclared(request, length, ready);
  else if (!isNeeded) ready({ streaming: [], isCrowded: true });
  else {
    reservation.waitToGrow(length * copies, (outcome) => {
      if (outcome === 'granted') collectDeclared(request, length, ready);
      else ready(outcome === 'left' ? { buffered: Buffer.alloc(0) } : reservation.refusal());
    });
  }
}

/** Copies each chunk to its final position, so that the body is never in memory twice. */
function collectDeclared(request: IncomingRequest, length: number, ready: (body: RequestBody) => void): void {
  if (request.destroyed) {
    ready({ buffered: Buffer.alloc(0) });
    return;
  }
  const buffer = Buffer.allocUnsafeSlow(length);
  let bytes = 0;
  request.readChunks((chunk) => {
    if (chunk === null) ready({ buffered: bytes === length ? buffer : buffer.subarray(0, bytes) });
    else {
      buffer.set(chunk, bytes);
      bytes += chunk.length;
    }
  });
}

/** One socket read may still arrive after `holdBack`. */
const oneReadBytes = 64 * 1024;

/** A body of unknown length. Its reservation is always larger than the received part. */
class GrowingBody {
  private readonly request: IncomingRequest;
  private readonly options: ReservationOptions;
  private readonly ready: (body: RequestBody | GatelogError) => void;
  private readonly pieces = new BodyPieces();
  /** At least two, because joining the pieces copies them. */
  private readonly copies: number;
  private bytes = 0;
  private reservedBytes = uncountedMaxBytes + oneReadBytes;
  private isWaiting = false;

  constructor(request: IncomingRequest, options: ReservationOptions, ready: (body: RequestBody | GatelogError) => void) {
    this.request = request;
    this.options = options;
    this.ready = ready;
    this.copies = Math.max(2, options.copies);
    options.reservation.isGrowing = true;
  }

  read(): void {
    if (this.request.destroyed) this.ready({ buffered: Buffer.alloc(0) });
    else this.request.readChunks((chunk) => (chunk === null ? this.end() : this.add(chunk)));
  }

  private add(chunk: Buffer): void {
    this.pieces.add(chunk);
    this.bytes += chunk.length;
    if (this.bytes > this.options.bufferMaxBytes) this.streamRest(false);
    else if (!this.isWaiting && this.bytes + oneReadBytes > this.reservedBytes) this.grow();
  }

  private grow(): void {
    const { reservation, bufferMaxBytes, isNeeded } = this.options;
    const reserved = Math.min(2 * this.reservedBytes, bufferMaxBytes + 2 * oneReadBytes);
    const more = reserved * this.copies - reservation.bytes;
    if (reservation.tryGrow(more)) this.reservedBytes = reserved;
    else if (!isNeeded) this.streamRest(true);
    else {
      this.isWaiting = true;
      this.request.pauseReading();
      reservation.waitToGrow(more, (outcome) => this.grown(outcome, reserved));
    }
  }

  private grown(outcome: 'granted' | 'refused' | 'left', reserved: number): void {
    this.isWaiting = false;
    this.reservedBytes = reserved;
    if (outcome !== 'refused') {
      this.request.resumeReading();
      return;
    }
    this.request.switchToStream();
    this.options.reservation.endGrowing();
    this.options.reservation.resize(0);
    this.ready(this.options.reservation.refusal());
  }

  private streamRest(isCrowded: boolean): void {
    const { reservation } = this.options;
    if (this.isWaiting) reservation.stopWaiting();
    reservation.endGrowing();
    this.request.switchToStream();
    const begun = this.pieces.all();
    if (reservation.bytes > 0) reservation.resize(this.bytes);
    this.ready(isCrowded ? { streaming: begun, isCrowded } : { streaming: begun });
  }

  private end(): void {
    if (this.isWaiting) this.options.reservation.stopWaiting();
    this.options.reservation.endGrowing();
    this.ready({ buffered: Buffer.concat(this.pieces.all()) });
  }
}

/** Resizes the reservation to the received body and all outgoing ones, once both are known. */
export function countCopies(reservation: BodyReservation, received: RequestBody, { outgoing, retryPlan }: PlannedBodies): void {
  const bytes = bytesOf(received);
  if (reservation.bytes === 0) return;
  // The body of a fallback is made when it is sent.
  const further = retryPlan === undefined ? 0 : bytesOf(outgoing);
  reservation.resize(bytes + (outgoing === received ? 0 : bytesOf(outgoing)) + further);
}

/** The received body is recorded by now, so without further attempts only the outgoing one stays in memory. */
export function dropReceived(reservation: BodyReservation, { outgoing, retryPlan, cache }: PlannedBodies): void {
  if (retryPlan !== undefined) return;
  if (reservation.bytes > 0) reservation.resize(bytesOf(outgoing));
  // The cache reads the body once more, for its key.
  reservation.endsWhenSent = cache === undefined;
}

function bytesOf(body: RequestBody): number {
  return 'buffered' in body ? body.buffered.length : body.streaming.reduce((sum, piece) => sum + piece.length, 0);
}
