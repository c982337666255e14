import { type FieldError, invalid, notSupported } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asString } from '../values/json.ts';
import { specOf } from './defaulting.ts';
import { validateAtMost100Percent, validateCountOrPercent } from './number-rules.ts';
import { validateLabelSelector } from './selector-rules.ts';

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

export const podDisruptionBudgetStrategy: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      // The names are those of the Go struct that the real server prints.
      const { minAvailable, maxUnavailable, selector = null, unhealthyPodEvictionPolicy = null } = spec;
      const shown = {
        MinAvailable: minAvailable,
        Selector: selector,
        MaxUnavailable: maxUnavailable,
        UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
      };
      errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'));
    }
    for (const field of ['minAvailable', 'maxUnavailable']) {
      errors.push(...validateCountOrPercent(spec[field], `spec.${field}`));
      errors.push(...validateAtMost100Percent(spec[field], `spec.${field}`));
    }
    errors.push(...validateLabelSelector(spec.selector, 'spec.selector'));
    const policy = spec.unhealthyPodEvictionPolicy;
    if (policy !== undefined && !EVICTION_POLICIES.includes(asString(policy))) {
      errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES));
    }
    return errors;
  },
};
