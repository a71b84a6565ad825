from tokumei_studio.jobs.record import Job as Job
from tokumei_studio.jobs.record import Step as Step
from tokumei_studio.jobs.record import all_jobs as all_jobs
from tokumei_studio.jobs.starting import cancel as cancel
from tokumei_studio.jobs.starting import start as start
