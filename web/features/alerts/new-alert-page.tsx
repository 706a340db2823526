import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Alert, NewAlert } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Page } from '../../ui/layout/page.tsx';
import { Notice } from '../../ui/notice.tsx';
import { draftFrom } from './rule/rule-draft.ts';
import { RuleForm } from './rule/rule-form.tsx';
import { hasSecrets, SecretsDialog } from './secrets-dialog.tsx';

const route = getRouteApi('/shell/alerts/new');

/** A rule to be made, beside its preview. The address may already say what it is about. */
export function NewAlertPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const mayMake = useMay('admin');
  const [made, setMade] = useState<Alert>();
  const make = async (rule: NewAlert): Promise<void> => {
    const { data } = await gatelog.alerts.add(rule);
    await queryClient.invalidateQueries({ queryKey: ['alerts'] });
    if (hasSecrets(data)) setMade(data);
    else await navigate({ to: '/alerts/$alertId', params: { alertId: data.id } });
  };
  return (
    <Page title="New alert rule">
      {made === undefined && !mayMake && (
        <Notice>You may not save rules: it takes the permission admin. The preview runs all the same.</Notice>
      )}
      {made === undefined ? (
        <RuleForm
          initial={draftFrom(search, timeZone())}
          submit={mayMake ? 'Save rule' : undefined}
          onSubmit={make}
          onCancel={() => void navigate({ to: '/alerts' })}
        />
      ) : (
        <SecretsDialog alert={made} onClose={() => void navigate({ to: '/alerts/$alertId', params: { alertId: made.id } })} />
      )}
    </Page>
  );
}
