/** An action as this deployment names it: senders choose action ids, so each is unique within its tenant, or outside every tenant. */
export interface ActionRef {
  readonly actionId: string;
  /** Null outside every tenant. */
  readonly tenantId: string | null;
}

/** One text for an action, for maps. An action id holds no line break, so no two actions have the same. */
export function actionKey({ actionId, tenantId }: ActionRef): string {
  return `${tenantId ?? ''}\n${actionId}`;
}

/** The columns that name an action, as an ActionRef. */
export function actionRef(row: { readonly action_id: string; readonly tenant_id: string | null }): ActionRef {
  return { actionId: row.action_id, tenantId: row.tenant_id };
}
