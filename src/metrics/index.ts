/**
 * Adapters of the `Metrics` interface to prom-client and OpenTelemetry. They take what they are given by its shape, so that tidewatch depends on neither.
 *
 * @packageDocumentation
 */
export {
  type OpenTelemetryMeter,
  type OpenTelemetryObservable,
  type OpenTelemetryObserver,
  openTelemetryMetrics,
} from './open-telemetry-metrics.ts';
export { type PrometheusClient, type PrometheusRegistry, prometheusMetrics } from './prometheus-metrics.ts';
