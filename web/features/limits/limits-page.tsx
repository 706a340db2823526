import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { RateLimit } from '../../../src/client/types/settings.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCost, formatCount } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { Fullness } from './fullness.tsx';
import { NewLimit } from './new-limit.tsx';
import { parsePolicy, windowTitle } from './policy.ts';

/** What the gateway refuses: too many calls, or calls that cost too much. */
export function LimitsPage(): ReactNode {
  const mayChange = useMay('admin');
  const [isAdding, setIsAdding] = useState(false);
  const [shown, setShown] = useState<RateLimit>();
  const { data, error } = useQuery({ queryKey: ['limits'], queryFn: async ({ signal }) => (await gatelog.limits.get({ signal })).data });
  if (error !== null) return <PageError error={error} />;
  return (
    <Page
      title="Limits and budgets"
      about="The gateway answers calls beyond them with 429"
      actions={mayChange && <Button onPress={() => setIsAdding(true)}>Add a limit</Button>}
    >
      {!mayChange && <Notice>Your key may read limits. One with the permission admin sets them.</Notice>}
      {data === undefined ? (
        <Loading what="Loading limits" />
      ) : data.length === 0 ? (
        <Empty title="No limit yet">
          <p className="muted">
            A limit holds for all calls together, for each user, or for each value of a property: so many calls or dollars in a time.
          </p>
        </Empty>
      ) : (
        <Limits limits={data} mayChange={mayChange} onShow={setShown} />
      )}
      {isAdding && data !== undefined && <NewLimit limits={data} onClose={() => setIsAdding(false)} />}
      {shown !== undefined && <Fullness limit={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

interface LimitsProps {
  readonly limits: readonly RateLimit[];
  readonly mayChange: boolean;
  readonly onShow: (limit: RateLimit) => void;
}

function Limits({ limits, mayChange, onShow }: LimitsProps): ReactNode {
  const queryClient = useQueryClient();
  const remove = async (limit: RateLimit): Promise<void> => {
    await gatelog.limits.replace(limits.filter((one) => one !== limit));
    await queryClient.invalidateQueries({ queryKey: ['limits'] });
  };
  const columns: readonly DataColumn<RateLimit>[] = [
    { id: 'limit', title: 'At most', cell: ({ policy }) => quotaText(policy) },
    { id: 'window', title: 'In', cell: ({ policy }) => windowText(policy) },
    { id: 'for', title: 'For', textOf: segmentText, cell: segmentText },
    { id: 'by', title: 'Set by', cell: (limit) => <SetBy limit={limit} /> },
    { id: 'policy', title: 'Policy', cell: ({ policy }) => <code>{policy}</code> },
    {
      id: 'full',
      title: 'How full',
      cell: (limit) => (
        <Button kind="quiet" onPress={() => onShow(limit)} aria-label={`Show how full ${limit.policy} is`}>
          Show
        </Button>
      ),
    },
    ...(mayChange
      ? [
          {
            id: 'delete',
            title: 'Delete',
            cell: (limit: RateLimit) =>
              limit.alert_id === undefined && (
                <ConfirmButton
                  title={`Delete the limit ${limit.policy}`}
                  kind="quiet"
                  consequence="Calls are no longer refused because of it; gateways see that within five seconds."
                  onConfirm={() => remove(limit)}
                >
                  Delete
                </ConfirmButton>
              ),
          },
        ]
      : []),
  ];
  return (
    <DataTable
      label="Limits"
      columns={columns}
      rows={limits}
      keyOf={({ policy, key_id: key, alert_id: alert }) => [policy, key, alert].join(' ')}
    />
  );
}

function quotaText(text: string): string {
  const policy = parsePolicy(text);
  if (policy === undefined) return text;
  return policy.unit === 'cents' ? formatCost(policy.quota / 100) : `${formatCount(policy.quota)} calls`;
}

function windowText(text: string): string {
  const policy = parsePolicy(text);
  return policy === undefined ? '' : windowTitle(policy);
}

function segmentText({ policy, key_id: key }: RateLimit): string {
  const segment = parsePolicy(policy)?.segment;
  const each = segment === undefined ? 'all calls together' : `each ${segment}`;
  return key === null || key === undefined ? each : `${each}, of one key`;
}

function SetBy({ limit: { alert_id: alertId, alert_name: name } }: { readonly limit: RateLimit }): ReactNode {
  if (alertId === undefined) return 'this list';
  return (
    <Link to="/alerts/$alertId" params={{ alertId }}>
      {name ?? 'an alert rule'}
    </Link>
  );
}
