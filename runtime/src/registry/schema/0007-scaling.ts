/** Instances that go without hosts while no action needs them. */
export const scaling = {
  id: 7,
  name: 'scaling',
  sql: `
-- One row for each instance that asked for it. Idle: idle_since alone; waking: both times; awake: neither.
CREATE TABLE registry.scaling (
  instance_id text COLLATE "C" PRIMARY KEY REFERENCES registry.instances,
  idle_after_ms bigint NOT NULL CHECK (idle_after_ms > 0),
  wake_timeout_ms bigint NOT NULL CHECK (wake_timeout_ms > 0),
  active_since bigint NOT NULL,
  idle_since bigint,
  wake_requested_at bigint,
  CHECK (wake_requested_at IS NULL OR idle_since IS NOT NULL)
);`,
} as const;
