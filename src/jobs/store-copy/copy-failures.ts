import { GatelogError } from '../../model/errors.ts';
import { locationText } from './record-store.ts';

export function hasMoved(location: string): GatelogError {
  return new GatelogError('invalid_parameter', `The records have moved to ${locationText(location)}. Start Gatelog with that store.`);
}

export function tooMuch(maxHeldMs: number): GatelogError {
  return new GatelogError(
    'store_unavailable',
    `More is being changed than can be copied within ${Math.round(maxHeldMs / 1000)} s. Try when fewer changes are made, or let changes wait longer with --hold.`,
  );
}

export function tooLong(maxHeldMs: number, tookMs: number): GatelogError {
  return new GatelogError(
    'store_unavailable',
    `Comparing both stores takes ${Math.ceil(tookMs / 1000)} s, and changes may wait for ${Math.round(maxHeldMs / 1000)} s. Let them wait for three times as long with --hold, at most 600.`,
  );
}

export function damaged(): GatelogError {
  return new GatelogError(
    'invalid_parameter',
    'A file of this store is damaged, and a copy would lose its rows in the other store too. "gatelog store check" names it.',
  );
}

export function isLasting({ code }: GatelogError): boolean {
  return code === 'invalid_parameter' || code === 'internal';
}
