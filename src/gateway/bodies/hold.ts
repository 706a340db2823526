import type { GatelogError } from '../../model/errors.ts';
import type { Call, RequestPlan } from '../call.ts';
import { type BodyHold, type HeldBodies, uncountedMaxBytes } from './memory.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { BodyPieces, declaredLength, type RequestBody } from '../http/request-body.ts';

export interface Holding {
  readonly hold: BodyHold;
  readonly wholeMaxBytes: number;
  /** So many copies of the body there may be at once. */
  readonly copies: number;
  /** False: rather than wait for room the call goes on with its body as it comes. */
  readonly isNeeded: boolean;
}

/** Whether a body that is to be held has to ask the budget for that: all but those that are said to be small, or to be too large. */
export function isCounted(request: IncomingRequest, wholeMaxBytes: number): boolean {
  if (wholeMaxBytes === 0) return false;
  const length = declaredLength(request);
  return length === undefined || (length > uncountedMaxBytes && length <= wholeMaxBytes);
}

/** A hold that ends with its call at the latest, however that ends. */
export function openHold(heldBodies: HeldBodies, call: Call, organizationId: string): BodyHold {
  const { request, response } = call;
  const hold = heldBodies.open(organizationId);
  const { socket } = request;
  const end = (): void => {
    socket.off('close', end);
    hold.release();
  };
  response.once('close', end);
  // TRICKY: of pipelined calls Node tells only the one whose turn it is that the client left.
  if (response.socket === null) socket.once('close', end);
  call.hold = hold;
  return hold;
}

/**
 * Reads a body as `readBody` does, once the budget has room for it: for one of known length before it is read, for another as it grows. `ready` is called
 * once, with the refusal where a body that is needed found no room in time.
 */
export function readHeldBody(request: IncomingRequest, holding: Holding, ready: (body: RequestBody | GatelogError) => void): void {
  const length = declaredLength(request);
  if (length === undefined) new GrowingBody(request, holding, ready).read();
  else readDeclared(request, { ...holding, length }, ready);
}

function readDeclared(
  request: IncomingRequest,
  { hold, copies, isNeeded, length }: Holding & { readonly length: number },
  ready: (body: RequestBody | GatelogError) => void,
): void {
  if (hold.tryGrow(length * copies)) collectDeclared(request, length, ready);
  else if (!isNeeded) ready({ begun: [], isCrowded: true });
  else {
    hold.waitToGrow(length * copies, (outcome) => {
      if (outcome === 'granted') collectDeclared(request, length, ready);
      else ready(outcome === 'left' ? { whole: Buffer.alloc(0) } : hold.refusal());
    });
  }
}

/** Every piece goes to its place at once, so that the body never is there twice. */
function collectDeclared(request: IncomingRequest, length: number, ready: (body: RequestBody) => void): void {
  if (request.destroyed) {
    ready({ whole: Buffer.alloc(0) });
    return;
  }
  const whole = Buffer.allocUnsafeSlow(length);
  let bytes = 0;
  request.readChunks((chunk) => {
    if (chunk === null) ready({ whole: bytes === length ? whole : whole.subarray(0, bytes) });
    else {
      whole.set(chunk, bytes);
      bytes += chunk.length;
    }
  });
}

/** What one read of a connection may bring behind the piece at which it is held back. */
const oneReadBytes = 64 * 1024;

/** A body of unknown length. What it has of the budget is always more than what came of it. */
class GrowingBody {
  private readonly request: IncomingRequest;
  private readonly holding: Holding;
  private readonly ready: (body: RequestBody | GatelogError) => void;
  private readonly pieces = new BodyPieces();
  /** The pieces and what they are joined to are there at once. */
  private readonly copies: number;
  private bytes = 0;
  private coveredBytes = uncountedMaxBytes + oneReadBytes;
  private isWaiting = false;

  constructor(request: IncomingRequest, holding: Holding, ready: (body: RequestBody | GatelogError) => void) {
    this.request = request;
    this.holding = holding;
    this.ready = ready;
    this.copies = Math.max(2, holding.copies);
  }

  read(): void {
    if (this.request.destroyed) this.ready({ whole: Buffer.alloc(0) });
    else this.request.readChunks((chunk) => (chunk === null ? this.end() : this.take(chunk)));
  }

  private take(chunk: Buffer): void {
    this.pieces.add(chunk);
    this.bytes += chunk.length;
    if (this.bytes > this.holding.wholeMaxBytes) this.pass(false);
    else if (!this.isWaiting && this.bytes + oneReadBytes > this.coveredBytes) this.grow();
  }

  private grow(): void {
    const { hold, wholeMaxBytes, isNeeded } = this.holding;
    const covered = Math.min(2 * this.coveredBytes, wholeMaxBytes + 2 * oneReadBytes);
    const more = covered * this.copies - hold.bytes;
    if (hold.tryGrow(more)) this.coveredBytes = covered;
    else if (!isNeeded) this.pass(true);
    else {
      this.isWaiting = true;
      this.request.holdBack();
      hold.waitToGrow(more, (outcome) => this.grown(outcome, covered));
    }
  }

  private grown(outcome: 'granted' | 'refused' | 'left', covered: number): void {
    this.isWaiting = false;
    this.coveredBytes = covered;
    if (outcome !== 'refused') {
      this.request.goOn();
      return;
    }
    this.request.switchToStream();
    this.holding.hold.resize(0);
    this.ready(this.holding.hold.refusal());
  }

  /** The rest is not held. */
  private pass(isCrowded: boolean): void {
    const { hold } = this.holding;
    if (this.isWaiting) hold.stopWaiting();
    this.request.switchToStream();
    const begun = this.pieces.all();
    if (hold.bytes > 0) hold.resize(this.bytes);
    this.ready(isCrowded ? { begun, isCrowded } : { begun });
  }

  private end(): void {
    if (this.isWaiting) this.holding.hold.stopWaiting();
    this.ready({ whole: Buffer.concat(this.pieces.all()) });
  }
}

/** A body that is held is known, as is what goes out for it: so many bytes it has from now on. */
export function countCopies(hold: BodyHold, received: RequestBody, { outgoing, onward }: RequestPlan): void {
  const bytes = bytesOf(received);
  if (hold.bytes === 0) return;
  // What a fallback sends is made when it is sent.
  const further = onward === undefined ? 0 : bytesOf(outgoing);
  hold.resize(bytes + (outgoing === received ? 0 : bytesOf(outgoing)) + further);
}

/** It is on record, so that what the caller sent is kept for what follows alone. */
export function dropReceived(hold: BodyHold, { outgoing, onward, cache }: RequestPlan): void {
  if (onward !== undefined) return;
  if (hold.bytes > 0) hold.resize(bytesOf(outgoing));
  // Who keeps the reply reads the body once more.
  hold.endsWhenSent = cache === undefined;
}

function bytesOf(body: RequestBody): number {
  return 'whole' in body ? body.whole.length : body.begun.reduce((sum, piece) => sum + piece.length, 0);
}
