import { v7 } from 'uuid';
import { makeCipher } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { MailAllowance } from './channels/mail-policy.ts';
import { makeMailer } from './channels/mailer.ts';
import { Poster } from './channels/post.ts';
import { type ChannelStore, makeChannelStore } from './channels/stored-channels.ts';
import { type Config, mailSenderOf } from '../config/load.ts';
import { makeAllowList } from '../egress/allow-list.ts';
import { makeTargetGuard } from '../egress/target-guard.ts';
import { systemClock } from '../platform/clock.ts';
import { ChannelTargets } from './targets/channel-targets.ts';
import { MailNotices } from './targets/mail-notices.ts';
import type { ChannelOwners } from './targets/target.ts';
import type { WebhookDefinitions } from './webhooks/definitions.ts';
import { dataPaths } from '../config/data-paths.ts';

export interface AlertChannelParts {
  readonly config: Config;
  readonly webhooks: Pick<WebhookDefinitions, 'of'>;
  readonly alerts: ChannelOwners;
}

export interface AlertChannels {
  readonly store: ChannelStore;
  readonly targets: ChannelTargets;
}

/** The channels of alerts: how they are stored, and as targets of the outbox. */
export function makeAlertChannels({ config, webhooks, alerts }: AlertChannelParts): AlertChannels {
  const { now, monotonic } = systemClock;
  const guard = makeTargetGuard(makeAllowList(config.targetAllowlist));
  const sender = mailSenderOf(config);
  const sendMail = config.smtpUrl === undefined || sender === undefined ? undefined : makeMailer({ server: config.smtpUrl, sender });
  const { mailDomains: domains, mailRecipientsMax: maxRecipients, mailPerHour: maxPerHour } = config;
  const store = makeChannelStore({
    cipher: makeCipher(deploymentSecret(config.secretKey, dataPaths(config).secret), 'channels'),
    guard,
    webhookOf: (organizationId, wanted) =>
      webhooks.of(organizationId).find(({ id, name }) => ('id' in wanted ? id === wanted.id : name === wanted.name))?.id,
    mail: sendMail === undefined ? undefined : { domains, maxRecipients, maxPerHour },
    channelsOf: (organizationId) => alerts.of(organizationId).flatMap(({ channels }) => channels),
    newId: v7,
  });
  const allowance = new MailAllowance(maxPerHour, monotonic);
  const targets = new ChannelTargets({
    alerts,
    store,
    poster: new Poster({ guard, now }),
    mail: sendMail === undefined ? undefined : { send: sendMail, domains, allowance },
    pagerDutyUrl: config.pagerDutyUrl,
    notices: new MailNotices({ alerts, webhooks, now }),
  });
  return { store, targets };
}
