import { type ReactNode, useState } from 'react';
import { Disclosure, DisclosurePanel, Button as AriaButton } from 'react-aria-components';
import type { NewAlert } from '../../../../src/client/client.ts';
import { aggregations, type Aggregation, type NoDataMode } from '../../../../src/model/events/alert-vocabulary.ts';
import { useReadSearch } from '../../../lib/read-search.ts';
import { Checkbox } from '../../../ui/form/checkbox.tsx';
import { Form, Row } from '../../../ui/form/form.tsx';
import { NumberField } from '../../../ui/form/number-field.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { DimensionsField } from '../../../ui/dimensions-field.tsx';
import { Select } from '../../../ui/select.tsx';
import { SearchBar } from '../../../ui/search/search-bar.tsx';
import { comparisons, metricOptions, thresholdUnit } from '../measure-text.ts';
import { ChannelsField } from './channels-field.tsx';
import { Preview } from './preview.tsx';
import { nameFor } from '../whole-text.ts';
import {
  budgetFault,
  hasMore,
  isColumn,
  isOfBudget,
  missingIn,
  nameFault,
  ruleBounds,
  type RuleDraft,
  ruleOf,
  zoneFault,
} from './rule-draft.ts';
import styles from './rule.module.css';

const aggregationLabels: Readonly<Record<Aggregation, string>> = {
  sum: 'sum',
  avg: 'mean',
  min: 'minimum',
  max: 'maximum',
  percentile: 'percentile',
};
const aggregationOptions = aggregations.map((value) => ({ value, label: aggregationLabels[value] }));
const comparisonOptions = Object.entries(comparisons).map(([value, label]) => ({ value: value as keyof typeof comparisons, label }));
const windowOptions = [
  { value: 'rolling', label: 'a rolling window' },
  { value: 'day', label: 'the current day' },
  { value: 'week', label: 'the current week' },
  { value: 'month', label: 'the current month' },
] as const;
const noDataOptions: readonly { readonly value: NoDataMode; readonly label: string }[] = [
  { value: 'ok', label: 'counts as OK' },
  { value: 'keep', label: 'keeps the state' },
  { value: 'alert', label: 'fires' },
];

export interface RuleFormProps {
  readonly initial: RuleDraft;
  /** On the button; absent: the key may not store rules. */
  readonly submit: string | undefined;
  readonly onSubmit: (rule: NewAlert) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** A rule beside what it would have done. */
export function RuleForm({ initial, submit, onSubmit, onCancel }: RuleFormProps): ReactNode {
  const [draft, setDraft] = useState(initial);
  const change = (changed: Partial<RuleDraft>): void => setDraft((before) => ({ ...before, ...changed }));
  const { filter } = useReadSearch(draft.q);
  const rule = filter === undefined ? undefined : ruleOf(draft, filter);
  return (
    <div className={styles['split']}>
      <div className={styles['fields']}>
        <div>
          <h2>Requests</h2>
          <SearchBar value={draft.q} onChange={(q) => change({ q })} isLive />
        </div>
        <Form
          label="Rule"
          submit={submit}
          onSubmit={async () =>
            rule === undefined ? undefined : onSubmit({ ...rule, name: rule.name === '' ? nameFor(rule) : rule.name })
          }
          onCancel={onCancel}
          missing={missingIn(draft, rule)}
          value={draft}
        >
          <Condition draft={draft} onChange={change} />
          <DimensionsField legend="For each" value={draft.by} onChange={(by) => change({ by })} />
          {(isOfBudget(draft) || draft.isEnforced) && (
            <Checkbox isSelected={draft.isEnforced} fault={budgetFault(draft)} onChange={(isEnforced) => change({ isEnforced })}>
              Block calls above the threshold: a budget
            </Checkbox>
          )}
          <TextField
            label="Name of the rule"
            value={draft.name}
            fault={nameFault(draft.name)}
            onChange={(name) => change({ name })}
            placeholder={rule === undefined ? 'Spend of a tenant' : nameFor(rule)}
          />
          <ChannelsField channels={draft.channels} onChange={(channels) => change({ channels })} />
          <More draft={draft} onChange={change} isOpen={hasMore(initial)} />
        </Form>
      </div>
      <Preview rule={rule} />
    </div>
  );
}

interface PartProps {
  readonly draft: RuleDraft;
  readonly onChange: (changed: Partial<RuleDraft>) => void;
}

/** The sentence of the rule: what, compared with what, over which time. */
function Condition({ draft, onChange }: PartProps): ReactNode {
  const { metric, aggregation, percentile, comparison, threshold, baselineDays } = draft;
  return (
    <>
      <Row>
        <Select
          label="When"
          isLabelShown
          value={metric}
          options={metricOptions(metric)}
          onChange={(value) => onChange({ metric: value })}
        />
        {isColumn(metric) && (
          <Select
            label="Aggregation"
            isLabelShown
            value={aggregation}
            options={aggregationOptions}
            onChange={(value) => onChange({ aggregation: value })}
          />
        )}
        {isColumn(metric) && aggregation === 'percentile' && (
          <NumberField
            label="Percentile"
            value={percentile}
            bounds={ruleBounds.percentile}
            onChange={(value) => onChange({ percentile: value })}
          />
        )}
      </Row>
      <Row>
        <Select
          label="Condition"
          isLabelShown
          value={comparison}
          options={comparisonOptions}
          onChange={(value) => onChange({ comparison: value })}
        />
        <NumberField
          label={`Threshold, ${thresholdUnit(metric, baselineDays.trim() !== '')}`}
          value={threshold}
          onChange={(value) => onChange({ threshold: value })}
          isRequired
        />
      </Row>
      <Window draft={draft} onChange={onChange} />
    </>
  );
}

/** The time over which a rule measures. */
function Window({ draft: { window, windowMinutes, zone }, onChange }: PartProps): ReactNode {
  return (
    <Row>
      <Select label="Window" isLabelShown value={window} options={windowOptions} onChange={(value) => onChange({ window: value })} />
      {window === 'rolling' ? (
        <NumberField
          label="Minutes"
          value={windowMinutes}
          bounds={ruleBounds.windowMinutes}
          onChange={(value) => onChange({ windowMinutes: value })}
        />
      ) : (
        <TextField label="Time zone" value={zone} fault={zoneFault(zone)} onChange={(value) => onChange({ zone: value })} />
      )}
    </Row>
  );
}

/** What few rules need. */
function More({ draft, onChange, isOpen }: PartProps & { readonly isOpen: boolean }): ReactNode {
  const part = { draft, onChange };
  return (
    <Disclosure className={styles['more'] ?? ''} defaultExpanded={isOpen}>
      <AriaButton slot="trigger" className={styles['trigger'] ?? ''}>
        <span className={styles['arrow']} aria-hidden="true" /> More
      </AriaButton>
      <DisclosurePanel className={styles['panel'] ?? ''}>
        <Row>
          <Figure {...part} field="minimumCount" label="Minimum requests" />
          <Figure {...part} field="baselineDays" label="Baseline, days" about="Compares with the same hours of the days before" />
          <Select label="No data" isLabelShown value={draft.noData} options={noDataOptions} onChange={(noData) => onChange({ noData })} />
        </Row>
        <Row>
          <Figure {...part} field="forMinutes" label="Holds for, minutes" />
          <Figure {...part} field="recoverMinutes" label="Resolved after, minutes" />
          <Figure {...part} field="newGroupMinutes" label="New groups wait, minutes" />
        </Row>
        <Row>
          <Figure {...part} field="renotifyMinutes" label="Repeat every, minutes" />
          <Figure {...part} field="maxGroups" label="Groups in one message" />
        </Row>
      </DisclosurePanel>
    </Disclosure>
  );
}

interface FigureProps extends PartProps {
  readonly field: Exclude<keyof typeof ruleBounds, 'windowMinutes' | 'percentile'>;
  readonly label: string;
  readonly about?: string;
}

function Figure({ draft, onChange, field, ...shown }: FigureProps): ReactNode {
  return <NumberField {...shown} value={draft[field]} bounds={ruleBounds[field]} onChange={(value) => onChange({ [field]: value })} />;
}
