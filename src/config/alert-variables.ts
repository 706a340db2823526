import { memoryDefault, memoryUses } from './memory.ts';
import { GiB, MiB, type Variable } from './variable.ts';

export const alertVariables = {
  alertIntervalMs: {
    name: 'GATELOG_ALERT_INTERVAL',
    kind: 'duration',
    default: '10s',
    min: 5000,
    max: 30_000,
    reason: 'Time between two evaluations of all rules that alert. A rule fires within twice that and a few seconds of its cause.',
  },
  alertGroupsMaxBytes: {
    name: 'GATELOG_ALERT_GROUPS_MAX_BYTES',
    kind: 'bytes',
    default: memoryDefault(memoryUses.alertGroups),
    min: MiB,
    max: 4 * GiB,
    reason:
      'Memory for the groups of all rules of one organisation, some 500 bytes each. Groups beyond it have no state, which the rule says (groups_left_out). All organisations together have eight times as much.',
  },
  mailDomains: {
    name: 'GATELOG_MAIL_DOMAINS',
    kind: 'domains',
    default: '',
    reason:
      'Domains to which organisations may send mail in the name of this deployment, such as example.com. Default: any, to at most GATELOG_MAIL_RECIPIENTS_MAX addresses.',
  },
  mailRecipientsMax: {
    name: 'GATELOG_MAIL_RECIPIENTS_MAX',
    kind: 'integer',
    default: '20',
    min: 1,
    max: 100_000,
    reason:
      'Different mail addresses in the rules of one organisation, while GATELOG_MAIL_DOMAINS is not set. Nobody confirms that they are wanted there.',
  },
  mailPerHour: {
    name: 'GATELOG_MAIL_PER_HOUR',
    kind: 'integer',
    default: '300',
    min: 1,
    max: 1_000_000,
    reason:
      'Mails of one organisation in an hour; one to several recipients counts once for each. What is not sent stands in the deliveries and the history of its rule.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
