import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RedactionRule } from '../../../src/client/types/settings.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { NumberField, numberOf } from '../../ui/form/number-field.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { NewRule } from './new-rule.tsx';

/** How long records are kept, and what is taken out of them before. */
export function DataPage(): ReactNode {
  const mayChange = useMay('admin');
  return (
    <Page title="Data" about="How long records are kept, and what never gets into them">
      {!mayChange && <Notice>Your key may read these settings. One with the permission admin changes them.</Notice>}
      <Retention mayChange={mayChange} />
      <Redaction mayChange={mayChange} />
    </Page>
  );
}

function Retention({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['retention'],
    queryFn: async ({ signal }) => (await gatelog.retention.get({ signal })).data,
  });
  return (
    <Section title="Retention">
      <ErrorNotice error={error} />
      {data === undefined ? (
        error === null && <Loading />
      ) : (
        <>
          <p>
            {data.effective_days === null
              ? 'Records are kept without end.'
              : `Records are kept for ${formatCount(data.effective_days)} days.`}
            {data.deployment_days !== null && ` The deployment keeps no record longer than ${formatCount(data.deployment_days)} days.`}
          </p>
          {mayChange && <RetentionForm days={data.days} />}
        </>
      )}
    </Section>
  );
}

function RetentionForm({ days }: { readonly days: number | null }): ReactNode {
  const [text, setText] = useState(days === null ? '' : String(days));
  const queryClient = useQueryClient();
  const store = async (): Promise<void> => {
    await gatelog.retention.set(numberOf(text) ?? null);
    await queryClient.invalidateQueries({ queryKey: ['retention'] });
  };
  return (
    <Form
      label="Retention"
      submit="Store"
      onSubmit={store}
      missing={text.trim() !== '' && numberOf(text) === undefined ? 'This is no number of days.' : undefined}
    >
      <NumberField
        label="Days"
        value={text}
        onChange={setText}
        about="Empty: without end. Older records are deleted for good, within a day after a change."
      />
    </Form>
  );
}

const kindTitles = {
  email: 'e-mail addresses',
  card: 'card numbers',
  key: 'keys of known shapes',
  regex: 'what a pattern matches',
} as const;

function Redaction({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  const queryClient = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['redaction'],
    queryFn: async ({ signal }): Promise<readonly RedactionRule[]> => (await gatelog.redaction.get({ signal })).data,
  });
  const replace = async (rules: readonly RedactionRule[]): Promise<void> => {
    await gatelog.redaction.replace(rules);
    await queryClient.invalidateQueries({ queryKey: ['redaction'] });
  };
  const columns: readonly DataColumn<RedactionRule>[] = [
    { id: 'what', title: 'Takes out', cell: ({ kind }) => kindTitles[kind] },
    { id: 'pattern', title: 'Pattern', textOf: ({ pattern }) => pattern ?? '', cell: ({ pattern }) => <code>{pattern}</code> },
    { id: 'with', title: 'In its place', textOf: ({ replacement }) => replacement ?? '', cell: ({ replacement }) => replacement },
    { id: 'where', title: 'From', cell: ({ applies_to: places }) => places?.join(', ') },
    ...(mayChange
      ? [
          {
            id: 'delete',
            title: 'Delete',
            cell: (rule: RedactionRule) => (
              <ConfirmButton
                title={`Delete the rule for ${kindTitles[rule.kind]}`}
                kind="quiet"
                consequence="Later records are stored with what the rule takes out now."
                onConfirm={() => replace((data ?? []).filter((one) => one !== rule))}
              >
                Delete
              </ConfirmButton>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section
      title="Redaction"
      about="In this order, before a record is stored; what is on record stays as it is"
      actions={mayChange && <Button onPress={() => setIsAdding(true)}>Add a rule</Button>}
    >
      <ErrorNotice error={error} />
      {data === undefined ? (
        error === null && <Loading />
      ) : data.length === 0 ? (
        <p className="muted">Nothing is taken out.</p>
      ) : (
        <DataTable label="Redaction rules" columns={columns} rows={data} keyOf={(rule) => JSON.stringify(rule)} />
      )}
      {isAdding && data !== undefined && <NewRule onStore={(rule) => replace([...data, rule])} onClose={() => setIsAdding(false)} />}
    </Section>
  );
}
