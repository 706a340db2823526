import { clickhouseUrlForm, readClickHouseUrl } from '../../config/clickhouse-url.ts';
import type { Config } from '../../config/load.ts';
import type { StoreCopyAnswer, StoreCopyOrder } from '../../contract/operator.ts';
import { embeddedPlace, placeOf, placeText } from '../../jobs/store-copy/own-store.ts';
import type { CopyState, StoreCopies } from '../../jobs/store-copy/store-copies.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { openReadyStore } from '../../store/open.ts';

export interface StoreCopyWork {
  /** @throws GatelogError for a place that is none, or the one where the records are. */
  readonly start: (order: StoreCopyOrder) => void;
  readonly cancel: () => Promise<void>;
  readonly state: () => StoreCopyAnswer;
}

export function makeStoreCopyWork(config: Config, observe: Observe, copies: StoreCopies): StoreCopyWork {
  return {
    start: ({ to, switch: isSwitching, hold_ms: maxHeldMs }) => {
      const there: Config = { ...config, clickhouseUrl: serversIn(to) };
      const place = placeOf(there.clickhouseUrl);
      if (place === placeOf(config.clickhouseUrl)) throw new GatelogError('invalid_parameter', 'The records are there already.');
      // Nobody watches the lanes of the other store.
      const open = () => openReadyStore(there, observe, { onWait: () => undefined, isAwaited: false });
      copies.start({ place, isSwitching, maxHeldMs, open });
    },
    cancel: () => copies.cancel(),
    state: () => answerOf(copies.state),
  };
}

function serversIn(to: string): Config['clickhouseUrl'] {
  if (to === embeddedPlace) return undefined;
  const read = readClickHouseUrl(to);
  if ('problem' in read) throw new GatelogError('invalid_parameter', `The address ${read.problem}; write ${clickhouseUrlForm}.`);
  return read.value;
}

const nothing = { place: null, round: null, pieces: null, rows: null, table: null, days: null, at: null, reason: null, may_try_again: null };

function answerOf(state: CopyState): StoreCopyAnswer {
  if (state.state === 'none') return { ...nothing, state: 'none' };
  const { place, ...told } = state;
  if (told.state === 'failed') {
    return { ...nothing, state: 'failed', place: placeText(place), reason: told.reason, may_try_again: told.mayTryAgain };
  }
  return { ...nothing, ...told, place: placeText(place), at: told.at === 0 ? null : new Date(told.at).toISOString() };
}
