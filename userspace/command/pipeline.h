/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches of work that several threads do, while one thread fills the batches and uses
 * the results in their order.
 */
#ifndef RBMAP_COMMAND_PIPELINE_H
#define RBMAP_COMMAND_PIPELINE_H

#define PIPELINE_THREADS	64	/* at most */

struct pipeline;

/**
 * struct pipeline_ops - what is done with a batch
 * @work: do the work. It is called in any thread, in each thread for one batch at a time.
 * @worker is the number of that thread, from 0 on
 * @finish: use the result. It is called in the thread that fills the batches, in the
 * order of pipeline_put()
 *
 * Both return 0 or a negative errno.
 */
struct pipeline_ops {
	int (*work)(void *data, void *batch, unsigned int worker);
	int (*finish)(void *data, void *batch);
};

/* Return the number of CPUs that this process may use. */
unsigned int pipeline_cpus(void);

/* Return the number of batches that @threads threads need, the filling one among them. */
unsigned int pipeline_batches(unsigned int threads);

/*
 * Make a pipeline for @threads threads, the caller among them: 1 does all work in the
 * caller. @batch has pipeline_batches(@threads) batches, which the caller owns. @data goes
 * to the functions. The threads start with the second batch: a single one needs none.
 * Return NULL: out of memory.
 */
struct pipeline *pipeline_new(const struct pipeline_ops *ops, void *data, void **batch,
			      unsigned int threads);

/* Wait for the threads, and free the pipeline. Unfinished batches are dropped. */
void pipeline_free(struct pipeline *p);

/*
 * Store a batch to fill. It may be that of an earlier pipeline_get(). Return 0, or the
 * first error of a function.
 */
int pipeline_get(struct pipeline *p, void **batch);

/* Hand over the batch of pipeline_get(). */
void pipeline_put(struct pipeline *p);

/* Finish all batches that were put. Return 0, or the first error of a function. */
int pipeline_flush(struct pipeline *p);

#endif /* RBMAP_COMMAND_PIPELINE_H */
