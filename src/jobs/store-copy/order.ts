import { clickhouseUrlForm, readClickHouseUrl } from '../../config/clickhouse-url.ts';
import type { Config } from '../../config/load.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { openOther } from '../../store/open.ts';
import { embeddedLocation, locationOf } from './record-store.ts';
import type { CopyOrder } from './store-copies.ts';

export interface CopyWish extends Pick<CopyOrder, 'isSwitching' | 'maxHeldMs'> {
  /** `embedded`, or an address of servers. */
  readonly to: string;
}

/** @throws GatelogError for a location that is none, or the one where the records are. */
export function orderOf(config: Config, observe: Observe, { to, ...how }: CopyWish): CopyOrder {
  const there: Config = { ...config, clickhouseUrl: serversIn(to) };
  const location = locationOf(there.clickhouseUrl);
  if (location === locationOf(config.clickhouseUrl)) throw new GatelogError('invalid_parameter', 'The records are there already.');
  return { ...how, location, open: () => openOther(there, observe) };
}

function serversIn(to: string): Config['clickhouseUrl'] {
  if (to === embeddedLocation) return undefined;
  const read = readClickHouseUrl(to);
  if ('problem' in read) throw new GatelogError('invalid_parameter', `The address ${read.problem}; write ${clickhouseUrlForm}.`);
  return read.value;
}
