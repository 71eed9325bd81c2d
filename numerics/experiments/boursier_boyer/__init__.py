"""Figures 1 to 8 of Boursier & Boyer: what is trained for them, and the numbers.

=========================  =========================================================================
`plan`                     which architectures are trained on which data, at which lengths, from
                           which seeds
`run_plan`                 `measure`: has all of a plan computed, and kept in a folder
`plan_jobs`, `engines`     the jobs of a plan, and the engines that compute them
`stop_rule`                when a run ends early: its risk has settled at its exact limit
`speed`                    how long a step of training takes on this machine
`run_arrays`, `results`    a training as an array, and everything measured as one object and as JSON
                           (``measurements.schema.json``)
`failed_runs`              which runs have failed, and which have ended early
=========================  =========================================================================
"""
