import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Alert, NewAlert } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { timeZone } from '../../lib/zone.ts';
import { Notice } from '../../ui/notice.tsx';
import { alertQuery } from './alerts-query.ts';
import { draftOf } from './rule/rule-draft.ts';
import { RuleForm } from './rule/rule-form.tsx';
import { hasSecrets, SecretsDialog } from './secrets-dialog.tsx';

const route = getRouteApi('/shell/alerts/$alertId');

const changedMeanwhile = 'Somebody has changed this rule since you opened it. Open it again, and change what it is now.';

export interface RuleTabProps {
  readonly alert: Alert;
  readonly mayChange: boolean;
}

/** The rule itself, to be changed. */
export function RuleTab({ alert, mayChange }: RuleTabProps): ReactNode {
  const queryClient = useQueryClient();
  const navigate = route.useNavigate();
  const [stored, setStored] = useState<Alert>();
  const [draft] = useState(() => draftOf(alert, timeZone()));
  if (draft === undefined) return <Notice>The filter of this rule cannot be shown as a search. Change the rule through the API.</Notice>;
  const leave = (): void => void navigate({ search: {} });
  if (stored !== undefined) return <SecretsDialog alert={stored} onClose={leave} />;
  const replace = async (rule: NewAlert): Promise<void> => {
    // What mutes the rule is changed beside the form.
    const { data } = await gatelog.alerts.change(alert.id, (present) => {
      if (JSON.stringify(draftOf(present, timeZone())) !== JSON.stringify(draft)) throw new Error(changedMeanwhile);
      return { ...rule, mute_until: present.mute_until };
    });
    queryClient.setQueryData(alertQuery(alert.id).queryKey, data);
    await queryClient.invalidateQueries({ queryKey: ['alerts'] });
    if (hasSecrets(data)) setStored(data);
    else leave();
  };
  return (
    <>
      {!mayChange && <Notice>You may not change rules: it takes the permission admin. The preview runs all the same.</Notice>}
      <RuleForm initial={draft} submit={mayChange ? 'Save changes' : undefined} onSubmit={replace} onCancel={leave} />
    </>
  );
}
