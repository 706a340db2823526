import type { ShownAlert } from '../../../contract/events/alert-answers.ts';
import { may, type Principal } from '../../../model/principal.ts';

/** A rule as it is shown: characters of a key only to who may administer it. */
export function alertItem(alert: ShownAlert, principal: Principal): ShownAlert {
  if (may(principal, 'administer')) return alert;
  const channels = alert.channels.map((channel) => (channel.routingKey === undefined ? channel : { ...channel, routingKey: '…' }));
  return { ...alert, channels };
}
