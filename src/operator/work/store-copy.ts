import { clickhouseUrlForm, readClickHouseUrl } from '../../config/clickhouse-url.ts';
import type { Config } from '../../config/load.ts';
import type { StoreCopyAnswer } from '../../contract/operator.ts';
import { embeddedPlace, placeOf } from '../../jobs/store-copy/own-store.ts';
import type { CopyState, StoreCopies } from '../../jobs/store-copy/store-copies.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { openReadyStore } from '../../store/open.ts';

export interface StoreCopyWork {
  /** @throws GatelogError for a place that is none, or the one where the records are. */
  readonly start: (to: string, isSwitching: boolean) => void;
  readonly state: () => StoreCopyAnswer;
}

export function makeStoreCopyWork(config: Config, observe: Observe, copies: StoreCopies): StoreCopyWork {
  return {
    start: (to, isSwitching) => {
      const there: Config = { ...config, clickhouseUrl: serversIn(to) };
      const place = placeOf(there.clickhouseUrl);
      if (place === placeOf(config.clickhouseUrl)) throw new GatelogError('invalid_parameter', 'The records are there already.');
      // No answer waits for the other store, whose lanes nobody watches.
      copies.start({ place, isSwitching, open: () => openReadyStore(there, observe, { onWait: () => undefined }) });
    },
    state: () => answerOf(copies.state),
  };
}

function serversIn(to: string): Config['clickhouseUrl'] {
  if (to === embeddedPlace) return undefined;
  const read = readClickHouseUrl(to);
  if ('problem' in read) throw new GatelogError('invalid_parameter', `The address ${read.problem}; write ${clickhouseUrlForm}.`);
  return read.value;
}

const nothing = { place: null, round: null, slices: null, rows: null, table: null, days: null, at: null, reason: null };

function answerOf(state: CopyState): StoreCopyAnswer {
  return { ...nothing, ...state, at: 'at' in state && state.at !== 0 ? new Date(state.at).toISOString() : null };
}
