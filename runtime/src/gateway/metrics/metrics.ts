import { Counter, Gauge, Registry } from 'prom-client';
import { ENVELOPES_RECEIVED, FAMILIES, type FamilyName } from './families.js';

/** The counters and gauges of one process; they start again with it. */
export interface Metrics {
  /** Raises a counter; 0 makes the family appear. */
  count(name: FamilyName, by?: number): void;
  /** Sets a gauge. */
  set(name: FamilyName, value: number): void;
  /** Counts one received envelope of a known message type. */
  envelopeReceived(messageType: string): void;
  /** Runs before every scrape, to set gauges that follow a state. A source that fails leaves its gauges as they were. */
  onScrape(source: () => void | Promise<void>): void;
  /** The scrape: Prometheus text 0.0.4 and its content type. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Opens an empty registry. Families are registered at the first touch, so one that nothing touched is absent, not zero. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const sources: (() => void | Promise<void>)[] = [];
  let envelopes: Counter<'message_type'> | undefined;

  return {
    count: (name, by = 1) => {
      let counter = counters.get(name);
      if (!counter) {
        counter = new Counter({ name, help: FAMILIES[name].help, registers: [registry] });
        counters.set(name, counter);
      }
      counter.inc(by);
    },
    set: (name, value) => {
      let gauge = gauges.get(name);
      if (!gauge) {
        gauge = new Gauge({ name, help: FAMILIES[name].help, registers: [registry] });
        gauges.set(name, gauge);
      }
      gauge.set(value);
    },
    envelopeReceived: (messageType) => {
      envelopes ??= new Counter({
        name: ENVELOPES_RECEIVED,
        help: 'Envelopes received, by message type.',
        labelNames: ['message_type'],
        registers: [registry],
      });
      envelopes.inc({ message_type: messageType });
    },
    onScrape: (source) => {
      sources.push(source);
    },
    render: async () => {
      await Promise.allSettled(sources.map(async (source) => source()));
      return { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text: await registry.metrics() };
    },
  };
}
